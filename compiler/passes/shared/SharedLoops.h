//===- SharedLoops.h - Loops over shared memory in two versions --------------===//
#ifndef SKEIN_PASSES_SHARED_SHAREDLOOPS_H
#define SKEIN_PASSES_SHARED_SHAREDLOOPS_H

#include "llvm/IR/PassManager.h"

namespace skein {

/// True if any loop was versioned. Only the analyses that it uses itself are kept up to date.
bool versionSharedLoops(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

} // namespace skein

#endif
