// gs: the distance of the running thread's private globals from their template (abi/private_globals.h).
//
// It is set by `wrgsbase` where kernel and processor let programs do that, and otherwise by a system call that does not
// accept a negative distance. valgrind knows only the call, and says so in the hardware capabilities. New kernel
// threads inherit the segment, so each sets its own first of all. Signal handlers, and the return from them, leave it
// as it is.
#ifndef SKEIN_ARCH_X86_64_SEGMENT_H
#define SKEIN_ARCH_X86_64_SEGMENT_H

#include <cstdint>

extern "C" {
/// Whether `wrgsbase` may be used; switch.S reads it.
extern unsigned char skein_segment_by_instruction;
/// segment_load, for switch.S.
void skein_segment_load(uintptr_t base);
}

namespace skein {

/// Called once, before the first segment_load.
void segment_start();
void segment_load(uintptr_t base);

} // namespace skein

#endif
