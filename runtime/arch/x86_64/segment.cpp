// See segment.h.
#include "arch/x86_64/segment.h"

#include "base/log.h"

#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned char skein_segment_by_instruction;

namespace skein {

void segment_start() {
  constexpr unsigned long capability = 2; // HWCAP2_FSGSBASE, whose header is not on every system
  skein_segment_by_instruction = (getauxval(AT_HWCAP2) & capability) != 0;
}

void segment_load(uintptr_t base) {
  if (skein_segment_by_instruction)
    asm volatile("wrgsbase %0" : : "r"(base) : "memory");
  else if (syscall(SYS_arch_prctl, ARCH_SET_GS, base) != 0)
    fatal("private globals need a kernel that lets programs set gs (Linux 5.9 or newer), or a program without PIE");
}

} // namespace skein

void skein_segment_load(uintptr_t base) { skein::segment_load(base); }
