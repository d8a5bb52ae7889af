// Barriers. Everything is done under the bucket's lock: the last thread to come empties the ring, so the next round may
// begin at once.
#include "sync/names.h"
#include "sync/quick_locks.h"

#include <cstdio>

namespace skein {

namespace {

void withdrawn_from_barrier(Thread *thread, Woken &) { awaited<skein_barrier_t>(*thread)->arrived_--; }

void describe_barrier(const Thread &thread, char *to, size_t bytes) {
  auto *barrier = awaited<skein_barrier_t>(thread);
  std::snprintf(to, bytes, "%s, where %u of %u have come", object_text("barrier", barrier).text, barrier->arrived_,
                barrier->needed_);
}

constexpr WaitKind wait_kind = {
    .call = "skein_barrier_wait", .withdrawn = withdrawn_from_barrier, .describe = describe_barrier, .parks = true};

} // namespace

extern "C" {

Thread *skein_barrier_wait_call(Thread *self, uint64_t argument) {
  auto *barrier = object_of<skein_barrier_t>(argument);
  if (barrier->needed_ == 0)
    return answer(self, misuse(self, SKEIN_ELOCK, "skein_barrier_wait: %s, in %s, has not been initialised",
                               object_text("barrier", barrier).text, place_text(place_of(self)).text));
  Woken woken;
  if (!take_or_wait(self, wait_kind, "barrier", barrier, forever, [&] {
        if (++barrier->arrived_ < barrier->needed_)
          return false;
        barrier->arrived_ = 0;
        while (WaitRecord *record = ring_of(barrier).pop())
          woken.push_back(record);
        return true;
      }))
    return self;
  wait_end_all(woken, SKEIN_OK);
  thread_error_clear(self);
  return answer(self, SKEIN_BARRIER_LAST);
}

void skein_barrier_init(skein_barrier_t *barrier, uint32_t threads) { *barrier = SKEIN_BARRIER_INITIALIZER(threads); }

Thread *skein_barrier_destroy_call(Thread *self, uint64_t argument) {
  auto *barrier = object_of<skein_barrier_t>(argument);
  uint32_t waiting;
  {
    Guard guard(bucket_of(barrier));
    waiting = barrier->arrived_;
  }
  if (waiting)
    return answer(self, misuse(self, SKEIN_EBUSY, "skein_barrier_destroy: %u threads wait at %s", waiting,
                               object_text("barrier", barrier).text));
  skein_barrier_init(barrier, 0);
  return answer(self, SKEIN_OK);
}

} // extern "C"

} // namespace skein
