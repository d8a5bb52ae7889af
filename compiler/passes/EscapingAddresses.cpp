//===- EscapingAddresses.cpp -------------------------------------------------===//
//
// Maps follow addresses on the stack; ambiguous words and the search of globals notice those that look like one. What
// neither sees is an address in another shape, or in memory nobody looks at:
//
//   * an integer that is no plain address any more (half of one, a product, an exclusive or) and is stored, passed on
//   or returned;
//   * an integer that is an address and goes to code of another module, or into memory that is neither a local nor a
//   global;
//   * the address of a local, stored into memory that is neither: a heap block.
//
// There the runtime is told, once, what address it was and where it went. If it lies in the calling thread's stack, and
// the place does not, the thread stays where it is from then on, since nobody can tell when the last copy is gone. C
// programs rarely do this to the addresses of locals, so the calls stand on cold ground; for heap addresses, which do
// not move, they do nothing.
//
// A pointer argument stored into a block of the process heap is not told: that is what most stores of pointers are. The
// warning for it belongs to a checker that sees the whole program. With a private heap, every store of a pointer that
// may lead to the stack compares it with the frame's address (three instructions), and tells the runtime if it is near:
// then the word is known to hold an address, whatever its block's type says (private/known.h). That is what unions,
// arenas and blocks of unknown type need to move.
//
//===----------------------------------------------------------------------===//
#include "EscapingAddresses.h"
#include "AddressIntegers.h"
#include "Annotations.h"
#include "HomeSlots.h"
#include "PointerTypes.h"
#include "PrivateHeap.h"
#include "WordEvidence.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace skein {

namespace {

/// An address, or a word that may be one, seen at an instruction. `Place` is where it is stored, if anywhere.
struct Escape {
  Value *Address;
  Value *Place;
  BasicBlock::iterator At;
  const char *How;      ///< null: the runtime only remembers the place
  bool Perhaps = false; ///< it may just as well be a number, or lead elsewhere
};

/// Whether a pointer may lead to the stack, as far as can be seen.
bool mayLeadToStack(const Value *V) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(V, Objects);
  return any_of(Objects, [](const Value *Object) { return !isa<Constant>(Object) && !isNoAliasCall(Object); });
}

class Finder {
public:
  Finder(Function &F, const TargetLibraryInfo &TLI) : F(F), TLI(TLI), Addresses(F), DT(F) {}

  SmallVector<Escape, 4> run() {
    for (Instruction &I : instructions(F)) {
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        lookAtStore(*Store);
      } else if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm()) {
        bool Elsewhere = leavesModule(*Call);
        for (Value *Argument : Call->args())
          lookAtInteger(Argument, I, Elsewhere);
      } else if (auto *Return = dyn_cast<ReturnInst>(&I); Return && Return->getReturnValue()) {
        lookAtInteger(Return->getReturnValue(), I, !F.hasLocalLinkage() || F.hasAddressTaken());
      }
    }
    return std::move(Found);
  }

private:
  /// True if the callee is code that we neither compile now nor know.
  bool leavesModule(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee)
      return true;
    LibFunc Library;
    return Callee->isDeclaration() && !Callee->hasFnAttribute(NoMigrateAttribute) &&
           !Callee->getName().starts_with("__skein_") && !Callee->getName().starts_with("skein_") &&
           !TLI.getLibFunc(Callee->getName(), Library);
  }

  void lookAtInteger(Value *V, Instruction &At, bool Elsewhere) {
    if (isa<Constant>(V))
      return;
    constexpr const char *How = "was made into a number";
    AddressForm Form = Addresses.form(V);
    if (Form == AddressForm::Invariant || Form == AddressForm::Address)
      for (Instruction *Doubt : Addresses.doubts(V))
        tellOnce(*Doubt);
    bool Followed = Form == AddressForm::Address || Form == AddressForm::Either; // by words and signatures
    if (Form == AddressForm::None || Form == AddressForm::Invariant || (Followed && !Elsewhere))
      return;
    const bool Merges = Addresses.mergesLeaves(V);
    for (Value *Leaf : Addresses.leaves(V)) {
      if (isa<Constant>(Leaf))
        continue;
      bool Pointer = isPointer(Leaf->getType()->getScalarType());
      AddressForm Is = Pointer ? AddressForm::Address : Addresses.form(Leaf);
      if (Is == AddressForm::Other && !isWide(Leaf->getType()))
        continue;
      // What a function of another module returns, that module has told; of foreign ones nobody can know.
      if (isa<CallBase>(Leaf) && !Pointer && !isDeclaredAmbiguous(Leaf))
        continue;
      if (Is == AddressForm::Address && DT.dominates(Leaf, &At) && (!Merges || isa<Argument, AllocaInst>(Leaf)))
        Found.push_back({Leaf, nullptr, At.getIterator(), How, /*Perhaps=*/!Pointer});
      else if (Told.insert(Leaf).second)
        Found.push_back({Leaf, nullptr, behind(Leaf), How, /*Perhaps=*/true});
    }
  }

  BasicBlock::iterator behind(Value *V) {
    if (auto *Invoke = dyn_cast<InvokeInst>(V); Invoke && !Invoke->getNormalDest()->getSinglePredecessor())
      SplitEdge(Invoke->getParent(), Invoke->getNormalDest(), &DT);
    return afterDefinition(F, V);
  }

  void tellOnce(Instruction &Doubt) {
    if (!Told.insert(&Doubt).second)
      return;
    BasicBlock::iterator At = behind(&Doubt);
    IRBuilder<> B(At->getParent(), At);
    Found.push_back({doubtfulAddress(B, Doubt), nullptr, At, "was made into a number", /*Perhaps=*/true});
  }

  void lookAtStore(StoreInst &Store) {
    Value *Content = Store.getValueOperand();
    const Value *Base = getUnderlyingObject(Store.getPointerOperand(), 0);
    bool Visible = isa<AllocaInst, GlobalVariable>(Base);
    lookAtInteger(Content, Store, !Visible);
    if (Visible || !isPointer(Content->getType()->getScalarType()))
      return;
    if (isa<AllocaInst>(getUnderlyingObject(Content, 0)))
      Found.push_back(
          {Content, Store.getPointerOperand(), Store.getIterator(), "was stored in memory that stays behind"});
    else if (F.hasFnAttribute(PrivateHeapAttribute) && mayLeadToStack(Content))
      Found.push_back({Content, Store.getPointerOperand(), Store.getIterator(), nullptr, /*Perhaps=*/true});
  }

  Function &F;
  const TargetLibraryInfo &TLI;
  AddressIntegers Addresses;
  DominatorTree DT;
  SmallPtrSet<Value *, 16> Told; ///< where they are made
  SmallVector<Escape, 4> Found;
};

} // namespace

/// " in `f` (file.c:12)"
static std::string placeOf(const Function &F, const Instruction &I) {
  std::string Text = (" in `" + F.getName() + "`").str();
  if (const DILocation *Location = I.getDebugLoc())
    Text += (" (" + Location->getFilename() + ":" + Twine(Location->getLine()) + ")").str();
  return Text;
}

Value *isNearFrame(IRBuilder<> &B, Value *Word) {
  constexpr uint64_t Below = 1 << 20, Above = 1 << 30;
  Value *Frame = B.CreateIntrinsic(Intrinsic::addressofreturnaddress, {B.getPtrTy()}, {});
  Value *Lowest = B.CreateSub(B.CreatePtrToInt(Frame, B.getInt64Ty()), B.getInt64(Below));
  return B.CreateICmpULT(B.CreateSub(Word, Lowest), B.getInt64(Above));
}

Value *doubtfulAddress(IRBuilder<> &B, Instruction &I) {
  constexpr uint64_t Far = 8 << 10; // half of the inaccessible zone at either end of a stack
  Value *A = I.getOperand(0), *C = I.getOperand(1);
  auto IsAddress = [](Value *V) { return isa<PtrToIntInst, PtrToAddrInst>(V); };
  Value *First = isNearFrame(B, A), *Second = isNearFrame(B, C);
  if (I.getOpcode() == Instruction::Sub && (IsAddress(C) || isa<Constant>(C)) && !isa<ConstantInt>(C))
    return B.CreateSelect(B.CreateXor(First, Second), B.CreateSelect(First, A, C), B.getInt64(0));
  // An address and a number, whichever is which: what lies in the stack, if the sum lies far away from it.
  Value *Address = B.CreateSelect(First, A, C);
  Value *Distance = B.CreateAdd(B.CreateSub(&I, Address), B.getInt64(Far));
  Value *Doubtful = B.CreateAnd(B.CreateOr(First, Second), B.CreateICmpUGT(Distance, B.getInt64(2 * Far)));
  return B.CreateSelect(Doubtful, Address, B.getInt64(0));
}

Value *asPointers(IRBuilder<> &B, Value *V) {
  Type *T = V->getType();
  if (T->isPtrOrPtrVectorTy())
    return V;
  const unsigned Bits = T->getPrimitiveSizeInBits().getFixedValue(), Lanes = Bits / 64;
  Value *Words = B.CreateTrunc(B.CreateBitCast(V, B.getIntNTy(Bits)), B.getIntNTy(64 * Lanes));
  if (Lanes == 1)
    return B.CreateIntToPtr(Words, B.getPtrTy());
  return B.CreateIntToPtr(B.CreateBitCast(Words, FixedVectorType::get(B.getInt64Ty(), Lanes)),
                          FixedVectorType::get(B.getPtrTy(), Lanes));
}

/// Splits the block in front of `At`, for the case that the address may lie in this thread's stack. Returns where that
/// case goes on.
static Instruction *guard(Function &F, Value *Pointers, BasicBlock::iterator At) {
  IRBuilder<> B(At->getParent(), At);
  Value *Near = nullptr;
  auto *Vector = dyn_cast<FixedVectorType>(Pointers->getType());
  for (unsigned N = 0; N < (Vector ? Vector->getNumElements() : 1); ++N) {
    Value *Address = Vector ? B.CreateExtractElement(Pointers, N) : Pointers;
    Value *Is = isNearFrame(B, B.CreatePtrToInt(Address, B.getInt64Ty()));
    Near = Near ? B.CreateOr(Near, Is) : Is;
  }
  return SplitBlockAndInsertIfThen(Near, At, /*Unreachable=*/false,
                                   MDBuilder(F.getContext()).createUnlikelyBranchWeights());
}

PreservedAnalyses EscapingAddressesPass::run(Function &F, FunctionAnalysisManager &AM) {
  if (F.hasFnAttribute(HomedAttribute))
    return PreservedAnalyses::all();
  SmallVector<Escape, 4> Escapes = Finder(F, AM.getResult<TargetLibraryAnalysis>(F)).run();
  for (const Escape &E : Escapes) {
    IRBuilder<> Outside(E.At->getParent(), E.At);
    Value *Pointers = asPointers(Outside, E.Address);
    IRBuilder<> B(E.Perhaps ? guard(F, Pointers, E.At) : &*E.At);
    Type *Pointer = B.getPtrTy();
    Value *Place = E.Place && isPointer(E.Place->getType()) ? E.Place : ConstantPointerNull::get(B.getPtrTy());
    SmallVector<Type *, 3> Types(E.How ? 3 : 2, Pointer);
    FunctionCallee Tell = F.getParent()->getOrInsertFunction(
        E.How ? "__skein_address_escapes" : "__skein_address_stored", FunctionType::get(B.getVoidTy(), Types, false));
    Value *How = E.How ? B.CreateGlobalString(E.How + placeOf(F, *E.At)) : nullptr;
    auto TellOf = [&](Value *Address, unsigned N) {
      Value *At = N && !isa<ConstantPointerNull>(Place) ? B.CreateConstGEP1_64(B.getInt8Ty(), Place, 8 * N) : Place;
      SmallVector<Value *, 3> Arguments{Address, At};
      if (How)
        Arguments.push_back(How);
      B.CreateCall(Tell, Arguments)->setDoesNotThrow();
    };
    if (auto *Vector = dyn_cast<FixedVectorType>(Pointers->getType()))
      for (unsigned N = 0; N < Vector->getNumElements(); ++N)
        TellOf(B.CreateExtractElement(Pointers, N), N);
    else
      TellOf(Pointers, 0);
  }
  return Escapes.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace skein
