//===- LoopPolls.h - A running thread looks up now and then ----------------===//
#ifndef SKEIN_PASSES_LOOPPOLLS_H
#define SKEIN_PASSES_LOOPPOLLS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
} // namespace llvm

namespace skein {

class StepBounds;

/// Lets the thread be moved or preempted in each loop of `F` that can run for long (-fskein-polls=loops).
void insertLoopPolls(llvm::Function &F, llvm::FunctionAnalysisManager &AM, StepBounds &Bounds);

} // namespace skein

#endif
