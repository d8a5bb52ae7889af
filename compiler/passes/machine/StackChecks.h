//===- StackChecks.h - Pass 5: functions look for room ---------------------===//
#ifndef SKEIN_PASSES_MACHINE_STACKCHECKS_H
#define SKEIN_PASSES_MACHINE_STACKCHECKS_H

namespace skein {
/// For TargetPassConfig::insertPass.
char &stackChecksID();
} // namespace skein

#endif
