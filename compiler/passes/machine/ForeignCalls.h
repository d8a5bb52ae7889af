//===- ForeignCalls.h - What may need a deep stack gets one ---------------===//
#ifndef SKEIN_PASSES_MACHINE_FOREIGNCALLS_H
#define SKEIN_PASSES_MACHINE_FOREIGNCALLS_H

namespace llvm {
class MachineInstr;
}

namespace skein {
/// After the pass foreign-calls: whether this call of the runtime leads to a function with a stack of its own, or to
/// one that needs little stack, so that the caller need not check for room on its behalf.
bool needsNoRoom(const llvm::MachineInstr &Call);
} // namespace skein

#endif
