// Futures. A waiter leaves the address where it wants the value (wait_detail). The thread that sets the future writes
// it there, which is safe since a blocked thread's stack stays where it is; or, if the waiter is parked, to where that
// part of its stack is kept.
#include "sync/names.h"
#include "sync/quick_locks.h"

#include <cstdio>

namespace skein {

namespace {

constexpr uint64_t set = 1;

void describe_future(const Thread &thread, char *to, size_t bytes) {
  std::snprintf(to, bytes, "%s, which nobody has set", object_text("future", thread.wait.object).text);
}

constexpr WaitKind get_kind = {.call = "skein_future_get", .describe = describe_future, .parks = true};
constexpr WaitKind timedget_kind = {.call = "skein_future_timedget_ns", .describe = describe_future};

Thread *get(Thread *self, skein_future_t *future, uint64_t to, const WaitKind &kind, uint64_t most_ns) {
  self->wait_detail = to;
  bool is_set = false;
  if (!take_or_wait(self, kind, "future", future, most_ns, [&] {
        is_set = word_acquire(future->word_) == set;
        return is_set || most_ns == 0;
      }))
    return self;
  if (!is_set)
    return answer(self, thread_error(self, SKEIN_ETIME, "%s: the future is not set", kind.call));
  if (to)
    *reinterpret_cast<void **>(to) = future->value_;
  return succeed(self);
}

/// Gets the value of a future that is set.
[[gnu::always_inline]] inline bool get_quickly(const skein_future_t *future, uint64_t *value) {
  if (word_acquire(future->word_) != set)
    return false;
  if (value)
    *reinterpret_cast<void **>(value) = future->value_;
  return true;
}

} // namespace

extern "C" {

int skein_future_get_slow(skein_future_t *future, uint64_t *value);
int skein_future_timedget_slow(skein_future_t *future, uint64_t *value, uint64_t most_ns);

int skein_future_get_quick(skein_future_t *future, uint64_t *value) {
  if (get_quickly(future, value))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_future_get_slow(future, value);
}

int skein_future_timedget_ns_quick(skein_future_t *future, uint64_t *value, uint64_t most_ns) {
  if (get_quickly(future, value))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_future_timedget_slow(future, value, most_ns);
}

Thread *skein_future_get_call(Thread *self, uint64_t future, uint64_t value) {
  return get(self, object_of<skein_future_t>(future), value, get_kind, forever);
}

Thread *skein_future_timedget_call(Thread *self, uint64_t future, uint64_t value, uint64_t most_ns) {
  return get(self, object_of<skein_future_t>(future), value, timedget_kind, most_ns);
}

Thread *skein_future_set_call(Thread *self, uint64_t argument, uint64_t value) {
  auto *future = object_of<skein_future_t>(argument);
  Woken woken;
  bool was_set;
  {
    Guard guard(bucket_of(future));
    was_set = word_of(future->word_) == set;
    if (!was_set) {
      future->value_ = reinterpret_cast<void *>(value);
      set_word(future->word_, set); // pairs with the acquire in skein_future_get
      while (WaitRecord *record = ring_of(future).pop()) {
        if (uint64_t *place = wait_detail_place(record))
          *place = value;
        woken.push_back(record);
      }
    }
  }
  if (was_set)
    return answer(self, misuse(self, SKEIN_ELOCK, "skein_future_set: %s, set in %s, was set before",
                               object_text("future", future).text, place_text(place_of(self)).text));
  wait_end_all(woken, SKEIN_OK);
  return answer(self, SKEIN_OK);
}

void skein_future_init(skein_future_t *future) { *future = SKEIN_FUTURE_INITIALIZER; }

Thread *skein_future_destroy_call(Thread *self, uint64_t argument) {
  auto *future = object_of<skein_future_t>(argument);
  const int code = unwaited(self, "skein_future_destroy", "future", future, ring_of(future));
  if (code == SKEIN_OK)
    skein_future_init(future);
  return answer(self, code);
}

} // extern "C"

} // namespace skein
