// Sleeping until a word changes, and the clock that goes with it.
#ifndef SKEIN_OS_LINUX_FUTEX_H
#define SKEIN_OS_LINUX_FUTEX_H

#include <atomic>
#include <cstdint>

namespace skein {

inline constexpr uint64_t forever = UINT64_MAX;

/// Sleeps while *word == expected, at most `nanoseconds`. May return early; the caller looks again.
void futex_wait(std::atomic<uint32_t> &word, uint32_t expected, uint64_t nanoseconds = forever);
/// Wakes up to `count` sleepers.
void futex_wake(std::atomic<uint32_t> &word, uint32_t count = 1);

/// Monotonic time, also from a process to one that is made of a copy of its memory.
uint64_t clock_ns();
/// The same moment of the kernel's CLOCK_MONOTONIC.
uint64_t clock_to_kernel(uint64_t ns);
/// In such a process, before it has other kernel threads: it is `ns` now, by clock_ns.
void clock_goes_on_at(uint64_t ns);

/// The number of cores this process may run on.
uint32_t cores();

} // namespace skein

#endif
