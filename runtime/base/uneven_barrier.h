// Barriers for two sides that are not equally busy: one that runs all the time and pays nothing, and one that runs
// rarely and pays for both.
//
//     often                                    rarely
//     write a                                  write b
//     barrier_light()                          barrier_heavy()
//     read b                                   read a
//
// At least one of the two sees what the other wrote, as if both had a full fence. membarrier(2) makes every kernel
// thread of the process that is running execute one, and those that are not running have executed one when they were
// switched away. Where the kernel has no membarrier, both are fences.
#ifndef SKEIN_BASE_UNEVEN_BARRIER_H
#define SKEIN_BASE_UNEVEN_BARRIER_H

#include <atomic>

namespace skein {

extern bool barrier_asymmetric;

/// Called once in a process, and again in the child of a fork. Until then both barriers are fences.
void barrier_start();

inline void barrier_light() {
  if (__builtin_expect(barrier_asymmetric, 1))
    std::atomic_signal_fence(std::memory_order_seq_cst);
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Takes a system call of some microseconds.
void barrier_heavy();

} // namespace skein

#endif
