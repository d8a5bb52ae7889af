//===- NonMigratingProof.cpp -------------------------------------------------===//
//
// A function cannot migrate if no call in it can, and a call cannot if the functions it calls cannot. This file finds
// the greatest solution of that: every definition is believed not to migrate until one of its calls shows otherwise;
// then its callers are looked at again. So a recursion that reaches nothing else is proved, and each call is looked at
// once. Calls through pointers count where every possible callee is known (PossibleCallees.h).
//
// With -flto the module is the whole program. The backends of ThinLTO see only their own unit and what was imported
// from others. So the compile step of -flto=thin runs the proof on the unit alone, and a function that is imported
// brings the result along. The proof is not run there for functions that will get more migration points at link time:
// polls, stress calls, and accesses to shared memory that are not lowered yet.
//
// A definition that the linker may replace by another of the same meaning (an inline function of C++) is taken for what
// it is; one that it may replace by anything (a weak function) is not. If a copy that another compiler has made is used
// after all, a thread that wants to move inside of it is pinned, since the return address in its caller has no record.
//
//===----------------------------------------------------------------------===//
#include "NonMigratingProof.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "passes/ir/MigrationPoints.h"
#include "passes/ir/PossibleCallees.h"
#include "passes/shared/SharedAccess.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

namespace {

using Callees = SmallSetVector<const Function *, 8>;

class Proof {
public:
  Proof(Module &M, function_ref<const TargetLibraryInfo &(Function &)> GetTLI,
        function_ref<bool(const Function &)> Eligible)
      : M(M), GetTLI(GetTLI) {
    for (Function &F : M)
      if (!F.isDeclaration() && !F.isInterposable() && !F.hasFnAttribute(NoMigrateAttribute) && Eligible(F))
        Believed.insert(&F);
  }

  void run() {
    for (Function &F : M)
      if (!F.isDeclaration())
        readCalls(F);
    while (!Refuted.empty())
      for (Function *Caller : Callers[Refuted.pop_back_val()])
        refute(*Caller);
    for (Function &F : M)
      if (Believed.contains(&F))
        F.addFnAttr(NoMigrateAttribute);
    for (auto &[Call, Targets] : Indirect)
      if (all_of(Targets, [&](const Function *F) { return F->hasFnAttribute(NoMigrateAttribute) || !isPoint(*F); }))
        Call->addFnAttr(Attribute::get(M.getContext(), NoMigrateAttribute));
  }

private:
  void readCalls(Function &F) {
    const TargetLibraryInfo &TLI = GetTLI(F);
    Library = &TLI;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || (!mayMigrate(*Call, TLI) && !Call->isMustTailCall()))
        continue;
      Callees Targets;
      if (!PossibleCallees().find(*Call, Targets)) {
        refute(F);
        continue;
      }
      for (const Function *Target : Targets)
        if (Believed.contains(Target))
          Callers[Target].push_back(&F);
        else if (isPoint(*Target))
          refute(F);
      if (!Call->getCalledFunction())
        Indirect.push_back({Call, std::move(Targets)});
    }
  }

  /// Whether a call of it is a migration point, or might be one as far as is known now.
  bool isPoint(const Function &F) {
    return !F.hasFnAttribute(NoMigrateAttribute) && (!F.isDeclaration() || declarationMayMigrate(F, *Library));
  }

  void refute(Function &F) {
    if (Believed.erase(&F))
      Refuted.push_back(&F);
  }

  Module &M;
  function_ref<const TargetLibraryInfo &(Function &)> GetTLI;
  const TargetLibraryInfo *Library = nullptr;
  SmallPtrSet<const Function *, 32> Believed;
  SmallVector<const Function *, 32> Refuted;
  DenseMap<const Function *, SmallVector<Function *, 4>> Callers;
  SmallVector<std::pair<CallBase *, Callees>, 16> Indirect;
};

} // namespace

void proveNonMigrating(Module &M, function_ref<const TargetLibraryInfo &(Function &)> GetTLI,
                       function_ref<bool(const Function &)> Eligible) {
  Proof(M, GetTLI, Eligible).run();
}

PreservedAnalyses NonMigratingProofPass::run(Module &M, ModuleAnalysisManager &AM) {
  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  proveNonMigrating(
      M, [&](Function &F) -> const TargetLibraryInfo & { return FAM.getResult<TargetLibraryAnalysis>(F); },
      [](const Function &F) {
        return isMigratable(F) && !F.hasFnAttribute(StressAttribute) && !F.hasFnAttribute(PollsAttribute) &&
               none_of(instructions(F), isSharedAccess);
      });
  return PreservedAnalyses::none();
}

} // namespace skein
