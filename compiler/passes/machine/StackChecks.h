//===- StackChecks.h - Pass 5: functions look for room ---------------------===//
#ifndef SKEIN_PASSES_MACHINE_STACKCHECKS_H
#define SKEIN_PASSES_MACHINE_STACKCHECKS_H

namespace llvm {
class MachineInstr;
}

namespace skein {
/// For TargetPassConfig::insertPass.
char &stackChecksID();

/// The call of __skein_grow in a prologue, a site of its own kind.
bool isGrowCall(const llvm::MachineInstr &MI);
} // namespace skein

#endif
