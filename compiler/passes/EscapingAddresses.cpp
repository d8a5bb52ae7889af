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
#include "PointerTypes.h"
#include "PrivateHeap.h"
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

/// An address, seen at an instruction. `Place` is where it is stored, if anywhere. `Perhaps`: it may just as well lead
/// elsewhere.
struct Escape {
  Value *Address;
  Value *Place;
  Instruction *At;
  const char *How;
  bool Perhaps = false;
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
        lookAtInteger(Return->getReturnValue(), I, !F.hasLocalLinkage());
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
    AddressForm Form = Addresses.form(V);
    bool Followed = Form == AddressForm::Address || Form == AddressForm::Either; // by words and signatures
    if (isa<Constant>(V) || Form == AddressForm::None || Form == AddressForm::Invariant || (Followed && !Elsewhere))
      return;
    for (Value *Leaf : Addresses.leaves(V))
      if (isPointer(Leaf->getType()->getScalarType()) && !isa<Constant>(Leaf) && DT.dominates(Leaf, &At))
        Found.push_back({Leaf, nullptr, &At, "was made into a number"});
  }

  void lookAtStore(StoreInst &Store) {
    Value *Content = Store.getValueOperand();
    const Value *Base = getUnderlyingObject(Store.getPointerOperand(), 0);
    bool Visible = isa<AllocaInst, GlobalVariable>(Base);
    lookAtInteger(Content, Store, !Visible);
    if (Visible || !isPointer(Content->getType()->getScalarType()))
      return;
    if (isa<AllocaInst>(getUnderlyingObject(Content, 0)))
      Found.push_back({Content, Store.getPointerOperand(), &Store, "was stored in memory that stays behind"});
    else if (F.hasFnAttribute(PrivateHeapAttribute) && mayLeadToStack(Content))
      Found.push_back({Content, Store.getPointerOperand(), &Store, nullptr, /*Perhaps=*/true});
  }

  Function &F;
  const TargetLibraryInfo &TLI;
  AddressIntegers Addresses;
  DominatorTree DT;
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

/// Splits the block in front of the store, for the case that the address lies in this frame or not far above: that is
/// where the stack of this thread is. The runtime knows exactly. Returns where that case goes on.
static Instruction *guard(Function &F, const Escape &E) {
  constexpr uint64_t Below = 1 << 20, Above = 1 << 30;
  IRBuilder<> B(E.At);
  Value *Frame = B.CreateIntrinsic(Intrinsic::addressofreturnaddress, {B.getPtrTy()}, {});
  Value *Lowest = B.CreateSub(B.CreatePtrToInt(Frame, B.getInt64Ty()), B.getInt64(Below));
  Value *Near = nullptr;
  auto *Vector = dyn_cast<FixedVectorType>(E.Address->getType());
  for (unsigned N = 0; N < (Vector ? Vector->getNumElements() : 1); ++N) {
    Value *Address = Vector ? B.CreateExtractElement(E.Address, N) : E.Address;
    Value *Distance = B.CreateSub(B.CreatePtrToInt(Address, B.getInt64Ty()), Lowest);
    Value *Is = B.CreateICmpULT(Distance, B.getInt64(Above));
    Near = Near ? B.CreateOr(Near, Is) : Is;
  }
  return SplitBlockAndInsertIfThen(Near, E.At->getIterator(), /*Unreachable=*/false,
                                   MDBuilder(F.getContext()).createUnlikelyBranchWeights());
}

PreservedAnalyses EscapingAddressesPass::run(Function &F, FunctionAnalysisManager &AM) {
  if (F.hasFnAttribute(HomedAttribute))
    return PreservedAnalyses::all();
  SmallVector<Escape, 4> Escapes = Finder(F, AM.getResult<TargetLibraryAnalysis>(F)).run();
  for (const Escape &E : Escapes) {
    IRBuilder<> B(E.Perhaps ? guard(F, E) : E.At);
    Type *Pointer = B.getPtrTy();
    Value *Place = E.Place && isPointer(E.Place->getType()) ? E.Place : ConstantPointerNull::get(B.getPtrTy());
    SmallVector<Type *, 3> Types(E.Perhaps ? 2 : 3, Pointer);
    FunctionCallee Tell =
        F.getParent()->getOrInsertFunction(E.Perhaps ? "__skein_address_stored" : "__skein_address_escapes",
                                           FunctionType::get(B.getVoidTy(), Types, false));
    Value *How = E.Perhaps ? nullptr : B.CreateGlobalString(E.How + placeOf(F, *E.At));
    auto TellOf = [&](Value *Address, unsigned N) {
      Value *At = N && !isa<ConstantPointerNull>(Place) ? B.CreateConstGEP1_64(B.getInt8Ty(), Place, 8 * N) : Place;
      SmallVector<Value *, 3> Arguments{Address, At};
      if (How)
        Arguments.push_back(How);
      B.CreateCall(Tell, Arguments)->setDoesNotThrow();
    };
    if (auto *Vector = dyn_cast<FixedVectorType>(E.Address->getType()))
      for (unsigned N = 0; N < Vector->getNumElements(); ++N)
        TellOf(B.CreateExtractElement(E.Address, N), N);
    else
      TellOf(E.Address, 0);
  }
  return Escapes.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace skein
