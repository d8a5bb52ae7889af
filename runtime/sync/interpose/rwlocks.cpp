// pthread_rwlock_t; see libc_calls.h.
#include "sync/interpose/libc_calls.h"

#include <pthread.h>

#ifndef SKEIN_TSAN

using namespace skein;

namespace {

constexpr CWaitKind read_kind = c_wait_kind("pthread_rwlock_rdlock", "pthread_rwlock_t");
constexpr CWaitKind write_kind = c_wait_kind("pthread_rwlock_wrlock", "pthread_rwlock_t");

int try_read(pthread_rwlock_t *lock) { return NEXT(pthread_rwlock_tryrdlock)(lock); }
int try_write(pthread_rwlock_t *lock) { return NEXT(pthread_rwlock_trywrlock)(lock); }

int rwlock_got(Thread *self, pthread_rwlock_t *lock, const void *place, HoldKind kind, int result) {
  if (result == 0) {
    hold_begun(self, lock, place, kind);
    if (self && kind == HoldKind::c_write)
      c_lock_bind(self);
  }
  return result;
}

template <HoldKind kind, class Kernel> int rwlock_take(pthread_rwlock_t *lock, Wish wish, Kernel &&in_kernel) {
  constexpr auto attempt = kind == HoldKind::c_read ? try_read : try_write;
  Thread *self = c_caller();
  if (__builtin_expect(self && attempt(lock) == 0, 1))
    return rwlock_got(self, lock, wish.place, kind, 0);
  wish.unseen = lock->__data.__shared != 0;
  auto again = [](CWait *wait) { return attempt(static_cast<pthread_rwlock_t *>(wait->object)); };
  return rwlock_got(self, lock, wish.place, kind, self ? acquire(self, lock, wish, again, in_kernel) : in_kernel());
}

template <class Kernel> int rwlock_read(pthread_rwlock_t *lock, const Wish &wish, Kernel &&in_kernel) {
  return rwlock_take<HoldKind::c_read>(lock, wish, in_kernel);
}
template <class Kernel> int rwlock_write(pthread_rwlock_t *lock, const Wish &wish, Kernel &&in_kernel) {
  return rwlock_take<HoldKind::c_write>(lock, wish, in_kernel);
}

} // namespace

DEFINITION int pthread_rwlock_rdlock(pthread_rwlock_t *lock) noexcept {
  return rwlock_read(lock, {.kind = read_kind, .place = PLACE}, [&] { return NEXT(pthread_rwlock_rdlock)(lock); });
}
DEFINITION int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) noexcept {
  return rwlock_got(c_caller(), lock, PLACE, HoldKind::c_read, NEXT(pthread_rwlock_tryrdlock)(lock));
}
DEFINITION int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const timespec *until) noexcept {
  return rwlock_read(lock, {read_kind, CLOCK_REALTIME, until, PLACE},
                     [&] { return NEXT(pthread_rwlock_timedrdlock)(lock, until); });
}
DEFINITION int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const timespec *until) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(pthread_rwlock_clockrdlock)(lock, clock, until); // refused
  return rwlock_read(lock, {read_kind, clock, until, PLACE},
                     [&] { return NEXT(pthread_rwlock_clockrdlock)(lock, clock, until); });
}
DEFINITION int pthread_rwlock_wrlock(pthread_rwlock_t *lock) noexcept {
  return rwlock_write(lock, {.kind = write_kind, .place = PLACE}, [&] { return NEXT(pthread_rwlock_wrlock)(lock); });
}
DEFINITION int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) noexcept {
  return rwlock_got(c_caller(), lock, PLACE, HoldKind::c_write, NEXT(pthread_rwlock_trywrlock)(lock));
}
DEFINITION int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const timespec *until) noexcept {
  return rwlock_write(lock, {write_kind, CLOCK_REALTIME, until, PLACE},
                      [&] { return NEXT(pthread_rwlock_timedwrlock)(lock, until); });
}
DEFINITION int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const timespec *until) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(pthread_rwlock_clockwrlock)(lock, clock, until); // refused
  return rwlock_write(lock, {write_kind, clock, until, PLACE},
                      [&] { return NEXT(pthread_rwlock_clockwrlock)(lock, clock, until); });
}
DEFINITION int pthread_rwlock_unlock(pthread_rwlock_t *lock) noexcept {
  Thread *self = c_caller();
  // libc gives back what this kernel thread has: its place as the writer, or else one as a reader.
  const bool writes = self && hold_find(self, lock, HoldKind::c_write);
  hold_over(self, lock);
  const int result = NEXT(pthread_rwlock_unlock)(lock);
  if (writes)
    c_lock_unbind(self);
  c_wake(lock, true); // several may read
  return result;
}

#endif
