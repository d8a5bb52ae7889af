//===- LoopPolls.h - A running thread looks up now and then ----------------===//
#ifndef SKEIN_PASSES_POLLS_LOOPPOLLS_H
#define SKEIN_PASSES_POLLS_LOOPPOLLS_H

#include "llvm/IR/PassManager.h"

namespace skein {

/// Lets threads be moved or preempted in each loop that can run for long (-fskein-polls=loops).
class LoopPollsPass : public llvm::PassInfoMixin<LoopPollsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "loop-polls"; }
};

} // namespace skein

#endif
