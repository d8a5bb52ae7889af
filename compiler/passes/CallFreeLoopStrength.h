//===- CallFreeLoopStrength.h - LSR, but not across migration points --------===//
#ifndef SKEIN_PASSES_CALLFREELOOPSTRENGTH_H
#define SKEIN_PASSES_CALLFREELOOPSTRENGTH_H

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class LPMUpdater;
class Loop;
} // namespace llvm

namespace skein {

/// LoopStrengthReduce on loops without may-migrate calls. LSR makes biased pointers and address integers at will; it
/// normally runs in code generation, after homing, where they would cross calls unseen. So code generation runs without
/// it (addCodeGenPasses), and the loops that gain most from it get it here, before homing.
class CallFreeLoopStrengthPass : public llvm::PassInfoMixin<CallFreeLoopStrengthPass> {
public:
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &AM, llvm::LoopStandardAnalysisResults &Results,
                              llvm::LPMUpdater &Updater);
  static llvm::StringRef name() { return "call-free-loop-strength"; }
};

} // namespace skein

#endif
