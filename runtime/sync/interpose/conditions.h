// Waiting for a pthread_cond_t, as POSIX and C11 do.
#ifndef SKEIN_SYNC_INTERPOSE_CONDITIONS_H
#define SKEIN_SYNC_INTERPOSE_CONDITIONS_H

#include "sync/interpose/mutexes.h"

#pragma GCC visibility push(hidden) // of one object
namespace skein {

inline constexpr CWaitKind again_kind = c_wait_kind("pthread_cond_wait", "pthread_mutex_t");
inline constexpr CWaitKind condition_kind = c_wait_kind("pthread_cond_wait", "pthread_cond_t");
inline constexpr CWaitKind timed_condition_kind = c_wait_kind("pthread_cond_timedwait", "pthread_cond_t");

struct Signalled {
  pthread_mutex_t *mutex;
  Thread *self;
  int unlocked;
};

/// Unlocks the mutex and lets the thread wait. Nobody can signal in between, since that takes the same lock.
inline int attempt_condition(CWait *wait) {
  auto *signalled = static_cast<Signalled *>(wait->context);
  signalled->unlocked = NEXT(pthread_mutex_unlock)(signalled->mutex);
  if (signalled->unlocked != 0)
    return signalled->unlocked;
  hold_over(signalled->self, signalled->mutex);
  if (by_kernel_thread(signalled->mutex))
    c_lock_unbind(signalled->self);
  return EBUSY;
}

template <class Kernel>
inline int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const Wish &wish, Kernel &&in_kernel) {
  Thread *self = c_caller();
  const bool shared = condition->__data.__wrefs & 1; // with other processes
  if (!self || shared || (wish.until && !valid(wish.until)) || !c_lock_may_block(wish.place, true)) {
    // libc gives the mutex back inside of its call, where nobody sees it. So the threads that wait for it must look.
    if (self)
      c_unseen_from_now_on();
    c_wake(mutex, true);
    return in_kernel();
  }
  Signalled signalled{mutex, self, 0};
  CWait wait{condition,
             static_cast<const CWaitKind *>(&wish.kind),
             attempt_condition,
             &signalled,
             mutex,
             false,
             false,
             wish.until ? deadline_of(wish.clock, wish.until) : forever,
             EBUSY};
  const int result = c_wait(self, wait);
  if (signalled.unlocked != 0)
    return signalled.unlocked;
  const int locked = mutex_lock(self, mutex, {.kind = again_kind, .place = wish.place},
                                [&] { return NEXT(pthread_mutex_lock)(mutex); });
  return locked ? locked : result;
}

} // namespace skein
#pragma GCC visibility pop

#endif
