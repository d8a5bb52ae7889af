// pthread_cond_t; see libc_calls.h.
#include "sync/interpose/conditions.h"

#ifndef SKEIN_TSAN

using namespace skein;

DEFINITION int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  return condition_wait(condition, mutex, {.kind = condition_kind, .place = PLACE},
                        [&] { return NEXT(pthread_cond_wait)(condition, mutex); });
}

DEFINITION int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until) {
  const clockid_t clock = condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  return condition_wait(condition, mutex, {timed_condition_kind, clock, until, PLACE},
                        [&] { return NEXT(pthread_cond_timedwait)(condition, mutex, until); });
}

DEFINITION int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                      const timespec *until) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(pthread_cond_clockwait)(condition, mutex, clock, until); // refused
  return condition_wait(condition, mutex, {timed_condition_kind, clock, until, PLACE},
                        [&] { return NEXT(pthread_cond_clockwait)(condition, mutex, clock, until); });
}

DEFINITION int pthread_cond_signal(pthread_cond_t *condition) noexcept {
  c_wake(condition, false);
  return NEXT(pthread_cond_signal)(condition);
}

DEFINITION int pthread_cond_broadcast(pthread_cond_t *condition) noexcept {
  c_wake(condition, true);
  return NEXT(pthread_cond_broadcast)(condition);
}

#endif
