//===- AddressSignatures.cpp - Which integer arguments and results are addresses -===//
//
// Finds the integer arguments and results that are addresses, so that they can be followed across calls. It
// establishes: an argument or result of 64 bits has the attribute `skein-address` only if everything that is ever
// passed or returned there is an address, or a number too small to be one, and at least once it is an address.
//
// It looks only at functions all of whose calls can be seen: local ones whose address is not taken. Two conditions must
// hold, and are applied in turn until nothing changes:
//
// * Sound: every value that arrives is an address (AddressIntegers::isProvedAddress). This is the greatest solution: it
//   begins with all places and drops those that are contradicted, so a recursion that passes its own argument on does
//   not contradict itself.
// * Grounded: an address does arrive. This is the least solution: it begins with no place and adds those that are
//   reached. Without it a counter that is passed from call to call would count as an address.
//
// Besides, markAmbiguous gives `skein-ambiguous` to the arguments and results of all functions of the module at which
// words arrive that may be addresses without being proved to be; this is a least solution too. markPartReaders marks
// the arguments that are read in parts of words (PartReaders.cpp).
//
// Rejected: trusting `uintptr_t`, which is also the type of hashes.
//
//===----------------------------------------------------------------------===//
#include "AddressIntegers.h"
#include "PartReaders.h"
#include "WordEvidence.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

namespace {

/// A place in a signature: an argument, or the result.
struct Place {
  Function *F;
  int Argument; ///< -1: the result

  bool isMarked() const {
    AttributeList A = F->getAttributes();
    return Argument < 0 ? A.hasRetAttr(AddressAttribute) : A.hasParamAttr(Argument, AddressAttribute);
  }
  void mark(bool Yes) const {
    Attribute A = Attribute::get(F->getContext(), AddressAttribute);
    if (Argument < 0)
      Yes ? F->addRetAttr(A) : F->removeRetAttr(AddressAttribute);
    else
      Yes ? F->addParamAttr(Argument, A) : F->removeParamAttr(Argument, AddressAttribute);
  }
};

/// The analysis of each function. It is made once, and renewed where the signatures on which it depends have changed:
/// those of its own arguments, and of the results of the functions that it calls.
class Analyses {
public:
  explicit Analyses(FunctionAnalysisManager &AM) : AM(AM) {}

  const AddressIntegers &of(Function &F) {
    AddressIntegers &Found = AM.getResult<AddressIntegersAnalysis>(F);
    if (Stale.erase(&F))
      Found.renew(F);
    return Found;
  }
  void argumentChanged(Function &F) { Stale.insert(&F); }
  void resultChanged(Function &F) {
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U))
        Stale.insert(Call->getFunction());
  }
  void allChanged(Module &M) {
    for (Function &F : M)
      Stale.insert(&F);
  }
  /// Lets the manager make those analyses again that are out of date.
  void invalidateStale() {
    PreservedAnalyses Others = PreservedAnalyses::all();
    Others.abandon<AddressIntegersAnalysis>();
    for (Function *F : Stale)
      AM.invalidate(*F, Others);
  }

private:
  FunctionAnalysisManager &AM;
  SmallPtrSet<Function *, 16> Stale;
};

class Solver {
public:
  Solver(Module &M, Analyses &Of) : Of(Of) {
    DenseMap<std::pair<const Function *, int>, unsigned> Number;
    auto Add = [&](Function &F, int Argument) {
      Number[{&F, Argument}] = Places.size();
      Places.push_back({&F, Argument});
    };
    for (Function &F : M) {
      if (F.isDeclaration() || !F.hasLocalLinkage() || F.isVarArg() || F.hasAddressTaken())
        continue;
      for (Argument &A : F.args())
        if (A.getType()->isIntegerTy(64))
          Add(F, int(A.getArgNo()));
      if (F.getReturnType()->isIntegerTy(64))
        Add(F, -1);
    }
    if (Places.empty())
      return;
    Remaining.resize(Places.size(), true);
    for (Function &F : M) {
      auto Arrives = [&](const Function *At, int Argument, const Value *V) {
        if (auto Found = Number.find({At, Argument}); Found != Number.end())
          Arrivals.push_back({Found->second, &F, V});
      };
      for (const Instruction &I : instructions(F)) {
        if (const auto *Return = dyn_cast<ReturnInst>(&I); Return && Return->getReturnValue())
          Arrives(&F, -1, Return->getReturnValue());
        else if (const auto *Call = dyn_cast<CallBase>(&I))
          for (unsigned N = 0; N < Call->arg_size(); ++N)
            Arrives(Call->getCalledFunction(), int(N), Call->getArgOperand(N));
      }
    }
  }

  void run() {
    for (unsigned Round = 0; Remaining.any(); ++Round) {
      const unsigned Before = Remaining.count();
      keepReached();
      keepProved();
      if (Remaining.count() == Before)
        return;
      if (Round == RoundLimit) {
        for (unsigned N : Remaining.set_bits())
          mark(Places[N], false);
        return;
      }
    }
  }

private:
  static constexpr unsigned RoundLimit = 8;

  /// A value that is passed or returned at a place.
  struct Arrival {
    unsigned Place;
    Function *From;
    const Value *V;
  };

  /// Those of the remaining places at which a value arrives for which `Is` (analysis, value) is true.
  template <typename Question> BitVector arrives(Question Is) {
    BitVector Found(Places.size());
    for (const Arrival &A : Arrivals)
      if (Remaining.test(A.Place) && !Found.test(A.Place) && Is(Of.of(*A.From), A.V))
        Found.set(A.Place);
    return Found;
  }

  void mark(const Place &P, bool Yes) {
    if (P.isMarked() == Yes)
      return;
    P.mark(Yes);
    P.Argument < 0 ? Of.resultChanged(*P.F) : Of.argumentChanged(*P.F);
  }

  void keepReached() {
    for (unsigned N : Remaining.set_bits())
      mark(Places[N], false);
    for (bool Changed = true; Changed;) {
      Changed = false;
      const BitVector Reached = arrives([](const AddressIntegers &Addresses, const Value *V) {
        AddressForm Form = Addresses.form(V);
        return Form != AddressForm::None && Form != AddressForm::Invariant;
      });
      for (unsigned N : Reached.set_bits())
        if (!Places[N].isMarked()) {
          mark(Places[N], true);
          Changed = true;
        }
    }
    for (auto [N, P] : enumerate(Places))
      if (!P.isMarked())
        Remaining.reset(N);
  }

  void keepProved() {
    for (bool Changed = true; Changed;) {
      const BitVector Contradicted =
          arrives([](const AddressIntegers &Addresses, const Value *V) { return !Addresses.isProvedAddress(V); });
      Changed = Contradicted.any();
      for (unsigned N : Contradicted.set_bits())
        mark(Places[N], false);
      Remaining.reset(Contradicted);
    }
  }

  Analyses &Of;
  SmallVector<Place, 32> Places;
  BitVector Remaining; ///< the places for which both conditions may still hold
  SmallVector<Arrival, 64> Arrivals;
};

} // namespace

/// Whether the initialiser puts an address into an integer.
static bool startsWithAddressInteger(const GlobalVariable &G) {
  if (!G.hasInitializer() || G.getName().starts_with("llvm.") || G.getSection().starts_with("skein_"))
    return false;
  SmallVector<const Constant *, 16> Work{G.getInitializer()};
  SmallPtrSet<const Constant *, 16> Seen;
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    if (C->getType()->isIntegerTy(64) && isa<ConstantExpr>(C))
      return true;
    if (isa<ConstantAggregate>(C))
      for (const Use &U : C->operands())
        if (const auto *Part = cast<Constant>(U); Seen.insert(Part).second)
          Work.push_back(Part);
  }
  return false;
}

/// True if `V` is a wide value that may be an address without being proved to be one, or an aggregate with such a part.
static bool mayBeAddress(const AddressIntegers &Addresses, const Value *V) {
  if (V->getType()->isStructTy()) {
    while (const auto *Insert = dyn_cast<InsertValueInst>(V)) {
      if (mayBeAddress(Addresses, Insert->getInsertedValueOperand()))
        return true;
      V = Insert->getAggregateOperand();
    }
    return !isa<Constant>(V) &&
           (!isa<CallBase>(V) || isDeclaredAmbiguous(V) || !cast<CallBase>(V)->getCalledFunction() ||
            cast<CallBase>(V)->getCalledFunction()->isDeclaration());
  }
  AddressForm Form = Addresses.form(V);
  if (!isWide(V->getType()) || Form == AddressForm::None || Form == AddressForm::Invariant)
    return false;
  // What is computed from parts of words was reported to the runtime where the parts came from.
  SmallVector<Value *, 4> Leaves = Addresses.leaves(const_cast<Value *>(V));
  return Leaves.empty() || !all_of(Leaves, [&](const Value *Leaf) { return Addresses.parts().contains(Leaf); });
}

/// Marks the arguments and results of this module's functions at which words arrive that may be addresses, until
/// nothing changes. Other modules report themselves what they pass in (EscapingAddresses.cpp).
static void markAmbiguous(Module &M, Analyses &Of) {
  SmallSetVector<Function *, 32> Work;
  for (Function &F : M)
    if (!F.isDeclaration())
      Work.insert(&F);
  Attribute Mark = Attribute::get(M.getContext(), AmbiguousAttribute);
  while (!Work.empty()) {
    Function *F = Work.pop_back_val();
    const AddressIntegers &Addresses = Of.of(*F);
    for (Instruction &I : instructions(*F)) {
      if (auto *Return = dyn_cast<ReturnInst>(&I); Return && Return->getReturnValue()) {
        AttributeList A = F->getAttributes();
        if (!mayBeAddress(Addresses, Return->getReturnValue()) || A.hasRetAttr(AmbiguousAttribute) ||
            A.hasRetAttr(AddressAttribute))
          continue;
        F->addRetAttr(Mark);
        Of.resultChanged(*F);
        for (User *U : F->users())
          if (auto *Call = dyn_cast<CallBase>(U))
            Work.insert(Call->getFunction());
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        Function *Callee = Call->getCalledFunction();
        if (!Callee || Callee->isDeclaration())
          continue;
        for (Argument &A : Callee->args()) {
          if (A.hasAttribute(AmbiguousAttribute) || A.hasAttribute(AddressAttribute) ||
              !mayBeAddress(Addresses, Call->getArgOperand(A.getArgNo())))
            continue;
          A.addAttr(Mark);
          Of.argumentChanged(*Callee);
          Work.insert(Callee);
        }
      }
    }
  }
}

/// A call whose result is returned can be a tail call, which `musttail` demands, only where both results have the same
/// attributes.
static void markReturnedCalls(Module &M) {
  for (Function &F : M)
    for (const char *Name : {AddressAttribute, AmbiguousAttribute})
      if (F.getAttributes().hasRetAttr(Name))
        for (BasicBlock &B : F)
          if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator()))
            if (auto *Call = dyn_cast_or_null<CallInst>(Return->getReturnValue()))
              Call->addRetAttr(Attribute::get(M.getContext(), Name));
}

PreservedAnalyses AddressSignaturesPass::run(Module &M, ModuleAnalysisManager &AM) {
  Analyses Of(AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager());
  bool Any = any_of(M, [](const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) { return isa<PtrToIntInst, IntToPtrInst>(I); });
  });
  if (Any && none_of(M, [](const Function &F) { return F.hasFnAttribute(HomedAttribute); }))
    Solver(M, Of).run();
  auto LosesSight = [&](Function &F) { return !F.isDeclaration() && Of.of(F).losesSight(F); };
  if (any_of(M, LosesSight) || any_of(M.globals(), startsWithAddressInteger)) {
    for (Function &F : M)
      if (!F.isDeclaration())
        F.addFnAttr(AddressIntegersAttribute);
    Of.allChanged(M);
  }
  markAmbiguous(M, Of);
  markReturnedCalls(M);
  markPartReaders(M, [&](Function &F) -> const PartsOfWords & { return Of.of(F).parts(); });
  Of.invalidateStale();
  return PreservedAnalyses::all();
}

} // namespace skein
