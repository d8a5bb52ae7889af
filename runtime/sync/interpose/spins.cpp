// pthread_spinlock_t; see libc_calls.h.
//
// Giving one back is an ordinary store, which would have to become a locked instruction to be seen by waiters. So a
// thread that waits yields again and again.
#include "sync/interpose/libc_calls.h"

#include <pthread.h>

#ifndef SKEIN_TSAN

using namespace skein;

DEFINITION int pthread_spin_lock(pthread_spinlock_t *lock) noexcept {
  Thread *self = c_caller();
  const void *place = PLACE;
  unsigned spins = 0;
  int result;
  if (self) {
    while ((result = NEXT(pthread_spin_trylock)(lock)) == EBUSY)
      if (++spins % 100)
        __builtin_ia32_pause();
      else
        skein_c_yield();
  } else {
    result = NEXT(pthread_spin_lock)(lock);
  }
  if (result == 0)
    hold_begun(self, const_cast<int *>(lock), place, HoldKind::c_spin);
  return result;
}
DEFINITION int pthread_spin_trylock(pthread_spinlock_t *lock) noexcept {
  const int result = NEXT(pthread_spin_trylock)(lock);
  if (result == 0)
    hold_begun(c_caller(), const_cast<int *>(lock), PLACE, HoldKind::c_spin);
  return result;
}
DEFINITION int pthread_spin_unlock(pthread_spinlock_t *lock) noexcept {
  hold_over(c_caller(), const_cast<int *>(lock));
  return NEXT(pthread_spin_unlock)(lock);
}

#endif
