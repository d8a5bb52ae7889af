// Taking a pthread_mutex_t, as POSIX and C11 do. The places in a pthread_mutex_t are glibc's.
#ifndef SKEIN_SYNC_INTERPOSE_MUTEXES_H
#define SKEIN_SYNC_INTERPOSE_MUTEXES_H

#include "sync/interpose/libc_calls.h"

#include <pthread.h>
#include <unistd.h>

#pragma GCC visibility push(hidden) // of one object
namespace skein {

inline constexpr CWaitKind mutex_kind = c_wait_kind("pthread_mutex_lock", "pthread_mutex_t");
inline constexpr CWaitKind timed_mutex_kind = c_wait_kind("pthread_mutex_timedlock", "pthread_mutex_t");

inline bool took(int result) { return result == 0 || result == EOWNERDEAD; }

/// Whether libc notes in the mutex which kernel thread has it.
inline bool by_kernel_thread(const pthread_mutex_t *mutex) {
  const int kind = mutex->__data.__kind & 127;
  return kind != PTHREAD_MUTEX_TIMED_NP && kind != PTHREAD_MUTEX_ADAPTIVE_NP;
}

inline bool looks_free(const pthread_mutex_t *mutex) {
  return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) == 0;
}

/// Whether libc answers a holder that asks again at once.
inline bool counts(const pthread_mutex_t *mutex) {
  const int kind = mutex->__data.__kind & 3;
  return kind == PTHREAD_MUTEX_RECURSIVE_NP || kind == PTHREAD_MUTEX_ERRORCHECK_NP;
}

/// Whether a thread of this worker holds it, which libc would take for the caller.
inline bool of_this_worker(const pthread_mutex_t *mutex) {
  const int owner = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
  return owner != 0 && owner == gettid();
}

inline int attempt_mutex(CWait *wait) {
  auto *mutex = static_cast<pthread_mutex_t *>(wait->object);
  if (by_kernel_thread(mutex) && of_this_worker(mutex))
    return EBUSY;
  return NEXT(pthread_mutex_trylock)(mutex);
}

inline int mutex_got(Thread *self, pthread_mutex_t *mutex, const void *place, int result) {
  if (took(result)) {
    hold_begun(self, mutex, place, HoldKind::c_mutex);
    if (self && by_kernel_thread(mutex))
      c_lock_bind(self);
  }
  return result;
}

inline bool took_last(const Thread *self, const void *object) {
  return self->holds.named && self->hold_slots[self->holds.named - 1].object == object;
}

inline bool mutex_mine(const Thread *self, const pthread_mutex_t *mutex) {
  return by_kernel_thread(mutex) && hold_find(self, mutex, HoldKind::c_mutex);
}

/// `in_kernel` also answers a thread that asks again for a mutex that libc knows by the kernel thread.
template <class Kernel> int mutex_lock(Thread *self, pthread_mutex_t *mutex, Wish wish, Kernel &&in_kernel) {
  constexpr int among_processes = 128;
  wish.unseen = mutex->__data.__kind & among_processes;
  if (self && !wish.until && !counts(mutex) && mutex_mine(self, mutex))
    c_lock_own(self, mutex, wish.kind, wish.place);
  return mutex_got(self, mutex, wish.place,
                   !self || mutex_mine(self, mutex) ? in_kernel()
                                                    : acquire(self, mutex, wish, attempt_mutex, in_kernel));
}

} // namespace skein
#pragma GCC visibility pop

#endif
