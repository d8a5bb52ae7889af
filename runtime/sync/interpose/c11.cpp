// mtx_t and cnd_t; see libc_calls.h.
//
// libc's mtx_t is its pthread_mutex_t, but its mtx_lock does not call pthread_mutex_lock, so each has a function here.
#include "sync/interpose/conditions.h"

#include <threads.h>

#ifndef SKEIN_TSAN

using namespace skein;

namespace {

int c11(int result) {
  switch (result) {
  case 0:
    return thrd_success;
  case ETIMEDOUT:
    return thrd_timedout;
  case EBUSY:
    return thrd_busy;
  case ENOMEM:
    return thrd_nomem;
  default:
    return thrd_error;
  }
}
pthread_mutex_t *posix(mtx_t *mutex) { return reinterpret_cast<pthread_mutex_t *>(mutex); }
pthread_cond_t *posix(cnd_t *condition) { return reinterpret_cast<pthread_cond_t *>(condition); }

} // namespace

DEFINITION int mtx_lock(mtx_t *mutex) {
  return c11(mutex_lock(c_caller(), posix(mutex), {.kind = mutex_kind, .place = PLACE},
                        [&] { return NEXT(pthread_mutex_lock)(posix(mutex)); }));
}
DEFINITION int mtx_trylock(mtx_t *mutex) {
  Thread *self = c_caller();
  if (self && !mutex_mine(self, posix(mutex)) && by_kernel_thread(posix(mutex)) && of_this_worker(posix(mutex)))
    return thrd_busy;
  return c11(mutex_got(self, posix(mutex), PLACE, NEXT(pthread_mutex_trylock)(posix(mutex))));
}
DEFINITION int mtx_timedlock(mtx_t *mutex, const timespec *until) {
  return c11(mutex_lock(c_caller(), posix(mutex), {timed_mutex_kind, CLOCK_REALTIME, until, PLACE},
                        [&] { return NEXT(pthread_mutex_timedlock)(posix(mutex), until); }));
}
DEFINITION int mtx_unlock(mtx_t *mutex) { return c11(pthread_mutex_unlock(posix(mutex))); }
DEFINITION int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  return c11(condition_wait(posix(condition), posix(mutex), {.kind = condition_kind, .place = PLACE},
                            [&] { return NEXT(pthread_cond_wait)(posix(condition), posix(mutex)); }));
}
DEFINITION int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const timespec *until) {
  return c11(condition_wait(posix(condition), posix(mutex), {timed_condition_kind, CLOCK_REALTIME, until, PLACE},
                            [&] { return NEXT(pthread_cond_timedwait)(posix(condition), posix(mutex), until); }));
}
DEFINITION int cnd_signal(cnd_t *condition) { return c11(pthread_cond_signal(posix(condition))); }
DEFINITION int cnd_broadcast(cnd_t *condition) { return c11(pthread_cond_broadcast(posix(condition))); }

#endif
