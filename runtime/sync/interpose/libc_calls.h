// What the functions have in common that stand between a program, with its libraries, and the C library's locks.
// sync/c_locks.h says what they add. Each ends in the next definition of its name: libc's, or that of a preloaded
// library.
//
// All of them make one object, with weak symbols, linked last, so that a program may define a function of one of these
// names. The driver leaves the object out of static programs, which never leave their process; a thread sanitizer's
// runtime has these functions itself.
#ifndef SKEIN_SYNC_INTERPOSE_LIBC_CALLS_H
#define SKEIN_SYNC_INTERPOSE_LIBC_CALLS_H

#include "sched/worker.h"
#include "sync/c_locks.h"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>
#include <dlfcn.h>

extern "C" {
void skein_c_yield();
extern const char __skein_foreign_return[] __attribute__((visibility("hidden")));
}

#define NEXT(function)                                                                                                 \
  ([] {                                                                                                                \
    static decltype(&::function) next;                                                                                 \
    if (__builtin_expect(!next, 0))                                                                                    \
      next = reinterpret_cast<decltype(&::function)>(dlsym(RTLD_NEXT, #function));                                     \
    return next;                                                                                                       \
  }())

#define DEFINITION extern "C" __attribute__((weak, visibility("default")))
/// Where the program called the function in which this is written.
#define PLACE caller(__builtin_frame_address(0))

#pragma GCC visibility push(hidden) // of one object
namespace skein {

/// The return address of the function whose frame this is. A program with growable stacks calls it by way of
/// __skein_foreign_call, which leaves on the deep stack where the small one goes on: its frame pointer, and above what
/// that points to the return address.
inline const void *caller(const void *frame) {
  auto *words = static_cast<const uintptr_t *>(frame);
  const uintptr_t place = words[1];
  if (__builtin_expect(place != reinterpret_cast<uintptr_t>(__skein_foreign_return), 1))
    return reinterpret_cast<const void *>(place);
  return reinterpret_cast<const void *const *>(words[2])[1];
}

/// How many locks this kernel thread has taken without a Skein thread. If it unlocks more, others had taken those.
extern __thread unsigned taken_outside;

inline void hold_begun(Thread *self, const void *object, const void *place, HoldKind kind) {
  if (self)
    hold_add(self, const_cast<void *>(object), place, kind);
  else
    taken_outside++;
}

/// Called before the lock is given back, so that no later holder's hold can be meant.
inline void hold_over(Thread *self, const void *object) {
  if (__builtin_expect(self && hold_remove(self, object), 1))
    return;
  if (!self && taken_outside) {
    taken_outside--;
    return;
  }
  hold_clear_anywhere(object);
}

/// In clock_ns(); a time in the past becomes now.
inline uint64_t deadline_of(clockid_t clock, const timespec *until) {
  timespec now;
  clock_gettime(clock, &now);
  const int64_t seconds = until->tv_sec - now.tv_sec, rest = until->tv_nsec - now.tv_nsec;
  if (seconds > INT64_MAX / 1000000000 - 2)
    return forever;
  const int64_t ns = seconds * 1000000000 + rest;
  return deadline_in(seconds < 0 || ns < 0 ? 0 : static_cast<uint64_t>(ns));
}
inline bool valid(const timespec *until) { return until->tv_nsec >= 0 && until->tv_nsec < 1000000000; }

/// How a call waits for a lock.
struct Wish {
  const CWaitKind &kind;
  clockid_t clock = 0;
  const timespec *until = nullptr; // null: for ever
  const void *place;
  bool unseen = false; // it may be given back unseen
};

/// Lets a Skein thread take a lock that another may hold: by `attempt`, which returns EBUSY then. `in_kernel` is libc's
/// call, which lets the worker wait.
template <class Kernel>
inline int acquire(Thread *self, void *object, const Wish &wish, int (*attempt)(CWait *), Kernel &&in_kernel) {
  CWait wait{object, static_cast<const CWaitKind *>(&wish.kind), attempt, self, nullptr, true, wish.unseen, forever,
             EBUSY};
  for (unsigned spins = workers_many() ? 50 : 1; spins && wait.result == EBUSY; spins--) {
    wait.result = attempt(&wait);
    __builtin_ia32_pause();
  }
  if (wait.result != EBUSY)
    return wait.result;
  if (wish.until && !valid(wish.until))
    return EINVAL;
  if (!wish.until)
    c_lock_own(self, object, wish.kind, wish.place);
  if (!c_lock_may_block(wish.place, false)) {
    c_lock_stands(self, object, wish.kind, wish.place);
    return in_kernel();
  }
  if (wish.until)
    wait.deadline_ns = deadline_of(wish.clock, wish.until);
  return c_wait(self, wait);
}

} // namespace skein
#pragma GCC visibility pop

#endif
