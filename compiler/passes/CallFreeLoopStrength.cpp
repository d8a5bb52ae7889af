//===- CallFreeLoopStrength.cpp ----------------------------------------------===//
#include "CallFreeLoopStrength.h"
#include "MigrationPoints.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"

using namespace llvm;

namespace skein {

PreservedAnalyses CallFreeLoopStrengthPass::run(Loop &L, LoopAnalysisManager &AM, LoopStandardAnalysisResults &Results,
                                                LPMUpdater &Updater) {
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && mayMigrate(*Call, Results.TLI))
        return PreservedAnalyses::all();
  return LoopStrengthReducePass().run(L, AM, Results, Updater);
}

} // namespace skein
