//===- JumpLowering.h - setjmp becomes a call of the runtime ----------------===//
#ifndef SKEIN_PASSES_IR_JUMPLOWERING_H
#define SKEIN_PASSES_IR_JUMPLOWERING_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class CallBase;
} // namespace llvm

namespace skein {

/// True for a call that returns a second time when a thread jumps to it (the runtime's setjmp). The frame maps describe
/// functions with such calls.
bool isJumpTarget(const llvm::CallBase &Call);
bool isJumpTarget(llvm::StringRef Callee);

} // namespace skein

#endif
