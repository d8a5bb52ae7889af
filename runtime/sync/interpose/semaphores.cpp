// sem_t; see libc_calls.h.
//
// sem_post is called in signal handlers, where no thread can be woken. So a waiter looks again when others have had
// their turn; while there are none it lets the worker wait in the kernel, for a moment at a time.
#include "sync/interpose/libc_calls.h"

#include <cstdarg>
#include <fcntl.h>
#include <semaphore.h>

#ifndef SKEIN_TSAN

using namespace skein;

namespace {

/// glibc uses the first half of a sem_t. That it began with places to take is noted in the last word.
constexpr uint64_t began_with_places = 0x736b65696e706c63;
uint64_t &note_of(sem_t *semaphore) { return reinterpret_cast<uint64_t *>(semaphore)[3]; }
static_assert(sizeof(sem_t) == 32);

void semaphore_got(Thread *self, sem_t *semaphore, const void *place) {
  if (self && note_of(semaphore) == began_with_places)
    hold_add(self, semaphore, place, HoldKind::c_semaphore);
}

/// As sem_wait. `until_ns` is in clock_ns().
int semaphore_wait(Thread *self, sem_t *semaphore, uint64_t until_ns) {
  constexpr uint64_t least_ns = 50000, most_ns = 1000000;
  int result = -1;
  c_lock_bind(self);
  for (uint64_t slice_ns = least_ns;; slice_ns = slice_ns < most_ns ? 2 * slice_ns : most_ns) {
    skein_c_yield();
    result = NEXT(sem_trywait)(semaphore);
    if (result == 0 || errno != EAGAIN)
      break;
    if (threads_ready() || static_cast<const Worker *>(skein_processor)->bound_count.load(std::memory_order_relaxed))
      continue;
    const uint64_t now_ns = clock_ns();
    if (now_ns >= until_ns) {
      errno = ETIMEDOUT;
      break;
    }
    const uint64_t ns = clock_to_kernel(now_ns + (until_ns - now_ns < slice_ns ? until_ns - now_ns : slice_ns));
    const timespec until{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
    result = NEXT(sem_clockwait)(semaphore, CLOCK_MONOTONIC, &until);
    if (result == 0 || errno != ETIMEDOUT)
      break;
  }
  c_lock_unbind(self);
  return result;
}

template <class Kernel>
int semaphore_take(sem_t *semaphore, clockid_t clock, const timespec *until, const void *place, Kernel &&in_kernel) {
  Thread *self = c_caller();
  const int saved_errno = errno;
  int result = -1;
  if (self)
    result = NEXT(sem_trywait)(semaphore);
  if (result != 0) {
    errno = saved_errno;
    result = !self || (until && !valid(until)) || !c_lock_may_block(place, false)
                 ? in_kernel()
                 : semaphore_wait(self, semaphore, until ? deadline_of(clock, until) : forever);
  }
  if (result == 0) {
    errno = saved_errno;
    semaphore_got(self, semaphore, place);
  }
  return result;
}

void semaphore_begins(sem_t *semaphore, bool with_places) { note_of(semaphore) = with_places ? began_with_places : 0; }

} // namespace

DEFINITION int sem_init(sem_t *semaphore, int shared, unsigned value) noexcept {
  const int result = NEXT(sem_init)(semaphore, shared, value);
  if (result == 0)
    semaphore_begins(semaphore, value > 0);
  return result;
}
DEFINITION sem_t *sem_open(const char *name, int flags, ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  const auto value = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  sem_t *semaphore = NEXT(sem_open)(name, flags, mode, value);
  int places = 0;
  if (semaphore != SEM_FAILED && sem_getvalue(semaphore, &places) == 0 && places > 0)
    semaphore_begins(semaphore, true);
  return semaphore;
}
DEFINITION int sem_wait(sem_t *semaphore) {
  return semaphore_take(semaphore, 0, nullptr, PLACE, [&] { return NEXT(sem_wait)(semaphore); });
}
DEFINITION int sem_trywait(sem_t *semaphore) noexcept {
  const int result = NEXT(sem_trywait)(semaphore);
  if (result == 0)
    semaphore_got(c_caller(), semaphore, PLACE);
  return result;
}
DEFINITION int sem_timedwait(sem_t *semaphore, const timespec *until) {
  return semaphore_take(semaphore, CLOCK_REALTIME, until, PLACE, [&] { return NEXT(sem_timedwait)(semaphore, until); });
}
DEFINITION int sem_clockwait(sem_t *semaphore, clockid_t clock, const timespec *until) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(sem_clockwait)(semaphore, clock, until); // refused
  return semaphore_take(semaphore, clock, until, PLACE, [&] { return NEXT(sem_clockwait)(semaphore, clock, until); });
}
DEFINITION int sem_post(sem_t *semaphore) noexcept {
  if (Thread *self = c_caller())
    hold_clear(self, semaphore);
  return NEXT(sem_post)(semaphore);
}

#endif
