//===- CallFreeLoopStrength.cpp ----------------------------------------------===//
#include "CallFreeLoopStrength.h"
#include "MigrationPoints.h"
#include "SameMoves.h"
#include "passes/Annotations.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"

using namespace llvm;

namespace skein {

namespace {

bool anyMayMigrate(BasicBlock &B, const TargetLibraryInfo &TLI) {
  return any_of(B, [&](Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && mayMigrate(*Call, TLI);
  });
}

class CallFreeLoops : public PassInfoMixin<CallFreeLoops> {
public:
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM, LoopStandardAnalysisResults &Results, LPMUpdater &Updater) {
    if (any_of(L.blocks(), [&](BasicBlock *B) { return anyMayMigrate(*B, Results.TLI); }))
      return PreservedAnalyses::all();
    return LoopStrengthReducePass().run(L, AM, Results, Updater);
  }
};

constexpr const char *HiddenAttribute = "skein-hidden";

class HideMigrating : public FunctionPass {
public:
  static char ID;
  HideMigrating() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Skein hides functions with migration points"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override { Usage.setPreservesAll(); }
  bool runOnFunction(Function &F) override {
    if (F.hasOptNone() || movesToSame(F) || none_of(instructions(F), [](const Instruction &I) {
          auto *Call = dyn_cast<CallBase>(&I);
          return Call && hasSiteInfo(*Call);
        }))
      return false;
    F.addFnAttr(HiddenAttribute);
    F.addFnAttr(Attribute::OptimizeNone);
    return true;
  }
};

/// Strength reduction has run on a function that is compiled as clang does it, and may have made biased pointers.
bool judgeSitesAgain(Function &F) {
  SmallVector<CallBase *, 16> Sites;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && hasSiteInfo(*Call))
      Sites.push_back(Call);
  if (Sites.empty())
    return false;
  for (CallBase *Call : callsThatHideAddresses(F, Sites))
    setHidingSite(*Call);
  return true;
}

class ShowMigrating : public FunctionPass {
public:
  static char ID;
  ShowMigrating() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Skein shows them again"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override { Usage.setPreservesAll(); }
  bool runOnFunction(Function &F) override {
    if (movesToSame(F))
      return judgeSitesAgain(F);
    if (!F.hasFnAttribute(HiddenAttribute))
      return false;
    F.removeFnAttr(HiddenAttribute);
    F.removeFnAttr(Attribute::OptimizeNone);
    return true;
  }
};

char HideMigrating::ID = 0;
char ShowMigrating::ID = 0;
RegisterPass<HideMigrating> RegisteredHide("hide-migrating", "Skein hides functions with migration points");
RegisterPass<ShowMigrating> RegisteredShow("show-migrating", "Skein shows them again");

} // namespace

PreservedAnalyses CallFreeLoopStrengthPass::run(Function &F, FunctionAnalysisManager &AM) {
  const TargetLibraryInfo &TLI = AM.getResult<TargetLibraryAnalysis>(F);
  if (movesToSame(F) || none_of(F, [&](BasicBlock &B) { return anyMayMigrate(B, TLI); }))
    return PreservedAnalyses::all();
  return createFunctionToLoopPassAdaptor(CallFreeLoops()).run(F, AM);
}

char &hideMigratingID() { return HideMigrating::ID; }
char &showMigratingID() { return ShowMigrating::ID; }

} // namespace skein
