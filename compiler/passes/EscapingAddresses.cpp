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
// A pointer argument stored into a heap block is not told: that is what most stores of pointers are. The warning for it
// belongs to a checker that sees the whole program.
//
//===----------------------------------------------------------------------===//
#include "EscapingAddresses.h"
#include "AddressIntegers.h"
#include "Annotations.h"
#include "PointerTypes.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

namespace {

/// An address, seen at an instruction. `Place` is where it is stored, if anywhere.
struct Escape {
  Value *Address;
  Value *Place;
  Instruction *At;
  const char *How;
};

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
    // An argument may well be the address of a local of a caller; the runtime looks.
    if (!Visible && isPointer(Content->getType()) && isa<AllocaInst>(getUnderlyingObject(Content, 0)))
      Found.push_back({Content, Store.getPointerOperand(), &Store, "was stored in memory that stays behind"});
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

PreservedAnalyses EscapingAddressesPass::run(Function &F, FunctionAnalysisManager &AM) {
  if (F.hasFnAttribute(HomedAttribute))
    return PreservedAnalyses::all();
  SmallVector<Escape, 4> Escapes = Finder(F, AM.getResult<TargetLibraryAnalysis>(F)).run();
  for (const Escape &E : Escapes) {
    IRBuilder<> B(E.At);
    Type *Pointer = B.getPtrTy();
    FunctionCallee Tell = F.getParent()->getOrInsertFunction(
        "__skein_address_escapes", FunctionType::get(B.getVoidTy(), {Pointer, Pointer, Pointer}, false));
    Value *Place = E.Place && isPointer(E.Place->getType()) ? E.Place : ConstantPointerNull::get(B.getPtrTy());
    Value *How = B.CreateGlobalString(E.How + placeOf(F, *E.At));
    auto TellOf = [&](Value *Address, unsigned N) {
      Value *At = N && !isa<ConstantPointerNull>(Place) ? B.CreateConstGEP1_64(B.getInt8Ty(), Place, 8 * N) : Place;
      B.CreateCall(Tell, {Address, At, How})->setDoesNotThrow();
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
