//===- LinkTime.h - Code generation in the linker --------------------------===//
#ifndef SKEIN_PASSES_IR_LINKTIME_H
#define SKEIN_PASSES_IR_LINKTIME_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class ModulePass;
} // namespace llvm

namespace skein {

/// Takes the annotations of functions that were homed before they got here; see the .cpp. Warns of each module once.
void releaseHomed(llvm::Module &M);

/// Right before instruction selection, wherever that is: homes what no pipeline has homed.
llvm::ModulePass *createLateHomingPass();

} // namespace skein

#endif
