//===- GrowableStacks.h - -fskein-stacks=growable, in IR -------------------===//
#ifndef SKEIN_PASSES_IR_GROWABLESTACKS_H
#define SKEIN_PASSES_IR_GROWABLESTACKS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class CallBase;
}

namespace skein {

/// Function attribute, from the command line (SourceFacts.cpp). Its value is "growable".
inline constexpr const char *StacksAttribute = "skein-stacks";

/// The word of the thread control block that holds a thread's limit: tcbhead_t::__private_ss.
inline constexpr int64_t StackLimitWord = 0x70;

/// Whether the function was compiled with -fskein-stacks=growable.
bool growsStack(const llvm::Function &F);

/// Whether what is called by this name looks for room itself: it is defined here, and no other definition can replace
/// it, or it is a function of the runtime that does.
bool isCertainlyGrowable(const llvm::Function &Callee);

/// Whether some argument may lie in memory; it may be true though none does.
bool mayPassInMemory(const llvm::CallBase &Call);

} // namespace skein

#endif
