// Deep stacks: foreign code that a thread on a growable stack calls runs on them (growable.h).
//
// A deep stack belongs to a worker, and has room for what code may use that was compiled without checks; its guard
// zones fault. So the pages that a library touches are the worker's, and thousands of threads that all have called
// printf keep a page each. arch/x86_64/deep.S changes to it and back.
//
// Deep stacks lie above all stacks that grow, so the check in a prologue passes there by itself: it only compares the
// stack pointer. A thread that is suspended while it is on one (in a callback that waits) keeps it, and its worker
// takes another.
#ifndef SKEIN_THREAD_DEEP_H
#define SKEIN_THREAD_DEEP_H

#include <cstddef>
#include <cstdint>

namespace skein {

inline constexpr uint32_t deep_most = 4096;

/// The address space for `count` of them, at most deep_most, and where it is.
size_t deep_bytes(uint32_t count);
void deep_lay_out(std::byte *begin, uint32_t count);

/// The deep stack that `address` lies in, guard zones included; `low` is null if it is none. Async-signal-safe.
struct DeepStack {
  std::byte *low = nullptr, *high = nullptr;
};
DeepStack deep_containing(const void *address);

/// What lies at the top of a deep stack in use (arch/x86_64/deep.S): the function that was called there, and the place
/// of its caller.
struct DeepEntry {
  uint64_t caller_frame; // on the thread's own stack: saved rbp, return address
  uint64_t target;       // the foreign function
};
inline const DeepEntry &deep_entry(const DeepStack &deep) {
  return *reinterpret_cast<const DeepEntry *>(deep.high - sizeof(DeepEntry));
}

/// Gives a deep stack back, by its top.
void deep_release(void *top);
/// The number of deep stacks that were ever used.
uint32_t deep_opened();
/// For the child of a fork: the locks are free again.
void deep_after_fork();

} // namespace skein

#endif
