// pthread_mutex_t; see libc_calls.h.
#include "sync/interpose/mutexes.h"

#include <sys/single_threaded.h>

#ifndef SKEIN_TSAN

namespace skein {
__thread unsigned taken_outside;
}

using namespace skein;

DEFINITION int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  Thread *self = c_caller();
  const void *place = PLACE;
  if (__builtin_expect(self && looks_free(mutex), 1)) {
    // While there is one kernel thread nobody can come in between, and libc's own way needs no locked instruction.
    const int result = __libc_single_threaded ? NEXT(pthread_mutex_lock)(mutex) : NEXT(pthread_mutex_trylock)(mutex);
    if (__builtin_expect(result == 0, 1))
      return mutex_got(self, mutex, place, 0);
    if (result != EBUSY)
      return mutex_got(self, mutex, place, result);
  }
  return mutex_lock(self, mutex, {.kind = mutex_kind, .place = place}, [&] { return NEXT(pthread_mutex_lock)(mutex); });
}

DEFINITION int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept {
  Thread *self = c_caller();
  if (self && !mutex_mine(self, mutex) && by_kernel_thread(mutex) && of_this_worker(mutex))
    return EBUSY;
  return mutex_got(self, mutex, PLACE, NEXT(pthread_mutex_trylock)(mutex));
}

DEFINITION int pthread_mutex_timedlock(pthread_mutex_t *mutex, const timespec *until) noexcept {
  return mutex_lock(c_caller(), mutex, {timed_mutex_kind, CLOCK_REALTIME, until, PLACE},
                    [&] { return NEXT(pthread_mutex_timedlock)(mutex, until); });
}

DEFINITION int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const timespec *until) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(pthread_mutex_clocklock)(mutex, clock, until); // refused
  return mutex_lock(c_caller(), mutex, {timed_mutex_kind, clock, until, PLACE},
                    [&] { return NEXT(pthread_mutex_clocklock)(mutex, clock, until); });
}

DEFINITION int pthread_mutex_unlock(pthread_mutex_t *mutex) noexcept {
  Thread *self = c_caller();
  const bool bound = by_kernel_thread(mutex);
  if (__builtin_expect(!bound, 1))
    hold_over(self, mutex);
  else if (self && !took_last(self, mutex) && !hold_find(self, mutex, HoldKind::c_mutex) && c_lock_held(mutex, self))
    return EPERM; // libc would take it from another thread of this worker
  const int result = NEXT(pthread_mutex_unlock)(mutex);
  if (bound && result == 0) {
    hold_over(self, mutex);
    if (self)
      c_lock_unbind(self);
  }
  c_wake(mutex, false);
  return result;
}

#endif
