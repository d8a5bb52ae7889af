// Sleep: a wait with a deadline in a ring of the thread's own, where nobody ever signals.
#include "sync/waits.h"

#include <skein/sync.h>

#include <cstdio>

namespace skein {

namespace {

void go_on(Thread *thread, uint64_t result) { wait_end(thread, result == SKEIN_ETIME ? SKEIN_OK : result); }

constexpr WaitKind sleep_kind = {.call = "skein_sleep_ns", .go_on = go_on};

} // namespace

extern "C" Thread *skein_sleep_call(Thread *self, uint64_t nanoseconds) {
  if (nanoseconds == 0) {
    answer(self, SKEIN_OK);
    return thread_yield(self);
  }
  const uint64_t deadline_ns = deadline_in(nanoseconds);
  self->wait_detail = 0; // an empty ring
  static_assert(sizeof(Ring) == sizeof self->wait_detail);
  {
    Guard guard(bucket_of(&self->wait_detail));
    wait_begin(self, sleep_kind, &self->wait_detail, deadline_ns);
  }
  return wait_next();
}

} // namespace skein
