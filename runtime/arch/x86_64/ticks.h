// The processor's counter of time: cheaper than the system's clock, in ticks of its own.
#ifndef SKEIN_ARCH_X86_64_TICKS_H
#define SKEIN_ARCH_X86_64_TICKS_H

#include <cpuid.h>
#include <cstdint>

namespace skein {

/// Later instructions may be read a little early, and earlier ones may still be under way.
inline uint64_t ticks_now() { return __builtin_ia32_rdtsc(); }

/// Whether the processor says that ticks are equally long, whatever it does meanwhile.
inline bool ticks_steady() {
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

} // namespace skein

#endif
