// The floating-point environment of a thread as the processor has it: rounding modes, masks, precision of the x87, and
// the exceptions that were raised. C11 7.6: each thread has its own, and begins with what its creator has at that time.
#ifndef SKEIN_ARCH_X86_64_CONTROL_WORDS_H
#define SKEIN_ARCH_X86_64_CONTROL_WORDS_H

#include "arch/x86_64/offsets.h"

#include <cstdint>

extern "C" {
/// All ones if ldmxcsr costs less than a look at what stmxcsr has just stored, else 0; switch.S reads it. On an EPYC it
/// costs less, by some tenths of a nanosecond; on a Sapphire Rapids Xeon the look saves 1.2 ns, a fifth of a switch.
extern unsigned int skein_mxcsr_load_always;
/// Whether the program asks which exceptions were raised. Then those of the x87 are kept, too
/// (libc/float_exceptions.cpp).
extern const unsigned char skein_x87_observed;
}

namespace skein {

struct ControlWords {
  uint32_t mxcsr = 0x1f80; // what a process begins with: to nearest, all masked, none raised
  uint32_t x87 = 0x037f;   // the same, in extended precision; 16 bits

  ControlWords with_none_raised() const { return {mxcsr & ~uint32_t{SKEIN_EXCEPTIONS}, x87}; }
  /// Whether arithmetic gives the same numbers.
  bool same_modes(const ControlWords &other) const {
    return ((mxcsr ^ other.mxcsr) & ~uint32_t{SKEIN_EXCEPTIONS}) == 0 && x87 == other.x87;
  }
};

/// What this process began with: the environment of threads that no thread creates, such as those of request handlers.
extern ControlWords control_words_of_process;

/// Called once, before the first thread is made, and before the program has changed anything.
void control_words_start();

/// The control words of this kernel thread at present. Each is stored in a word of its own: if one load reads at once
/// what two instructions have stored side by side, it has to wait for the cache, a dozen cycles longer.
inline ControlWords control_words_now() {
  uint32_t mxcsr;
  uint16_t x87;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  if (skein_x87_observed) {
    uint16_t status;
    asm volatile("fnstsw %0" : "=m"(status));
    mxcsr |= status & SKEIN_EXCEPTIONS;
  }
  return {mxcsr, x87};
}

inline void control_words_load(const ControlWords &words) {
  asm volatile("ldmxcsr %0" : : "m"(words.mxcsr));
  asm volatile("fldcw %0" : : "m"(words.x87));
}

/// Whether the processor accepts them: a reserved bit of mxcsr is a fault.
inline bool control_words_valid(const ControlWords &words) { return words.mxcsr <= 0xffff && words.x87 <= 0xffff; }

} // namespace skein

#endif
