// pthread_once and call_once; see libc_calls.h.
//
// While the function runs, libc's frame is on the stack, so the thread stays here without a hold. Our frame is not
// there, so that reports name the program as libc's caller. So nobody sees when the function is over, and waiters look
// again now and then.
#include "sync/interpose/libc_calls.h"

#include <pthread.h>
#include <threads.h>

#ifndef SKEIN_TSAN

using namespace skein;

namespace {

constexpr CWaitKind once_kind = c_wait_kind("pthread_once", "pthread_once_t");

constexpr int once_under_way = 1, once_done = 2;

int attempt_once(CWait *wait) {
  const int word = __atomic_load_n(static_cast<int *>(wait->object), __ATOMIC_ACQUIRE);
  return !(word & once_done) && (word & once_under_way) ? EBUSY : 0;
}

/// Waits until no thread is in the function.
void pass_once(int *once, const void *place) {
  if (__atomic_load_n(once, __ATOMIC_ACQUIRE) & once_done)
    return;
  if (Thread *self = c_caller())
    acquire(self, once, {.kind = once_kind, .place = place, .unseen = true}, attempt_once, [] { return 0; });
}

} // namespace

DEFINITION int pthread_once(pthread_once_t *once, void (*function)(void)) {
  pass_once(once, PLACE);
  [[clang::musttail]] return NEXT(pthread_once)(once, function);
}

DEFINITION void call_once(once_flag *once, void (*function)(void)) {
  pass_once(reinterpret_cast<pthread_once_t *>(once), PLACE);
  [[clang::musttail]] return NEXT(call_once)(once, function);
}

#endif
