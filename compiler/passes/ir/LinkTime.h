//===- LinkTime.h - Code generation in the linker --------------------------===//
#ifndef SKEIN_PASSES_IR_LINKTIME_H
#define SKEIN_PASSES_IR_LINKTIME_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class ModulePass;
} // namespace llvm

namespace skein {

/// Removes the annotations of functions that were homed before they got here (see LinkTime.cpp). Warns once for each
/// module.
void releaseHomed(llvm::Module &M);

/// Runs right before instruction selection, in the compile step or in the linker: homes what no pipeline has homed.
llvm::ModulePass *createLateHomingPass();

} // namespace skein

#endif
