// Conditions. A condition is only a ring. A waiter is in it before its mutex is free, so a signal that follows a change
// made under the mutex finds it. A signal takes the mutex for the thread it wakes, or queues that thread for it: nobody
// wakes only to wait again, and a broadcast is no stampede.
#include "sync/hold_reports.h"
#include "sync/mutex_of_condition.h"
#include "sync/names.h"
#include "sync/quick_locks.h"

#include <cstdio>

namespace skein {

namespace {

skein_mutex_t *mutex_of(const Thread *waiter) { return reinterpret_cast<skein_mutex_t *>(waiter->wait_detail); }

void go_on(Thread *thread, uint64_t result) { mutex_lock_for(thread, mutex_of(thread), result); }

void describe_condition(const Thread &thread, char *to, size_t bytes) {
  std::snprintf(to, bytes, "%s, with %s", object_text("condition", thread.wait.object).text,
                object_text("mutex", mutex_of(&thread)).text);
}

constexpr WaitKind wait_kind = {
    .call = "skein_condition_wait", .go_on = go_on, .describe = describe_condition, .parks = true};
constexpr WaitKind timedwait_kind = {
    .call = "skein_condition_timedwait_ns", .go_on = go_on, .describe = describe_condition};

Thread *wait(Thread *self, skein_condition_t *condition, skein_mutex_t *mutex, const WaitKind &kind, uint64_t most_ns) {
  if (!mutex_held_by(mutex, self))
    return answer(self, misuse(self, SKEIN_ELOCK, "%s: thread %s does not hold %s, in %s", kind.call,
                               thread_name(self->id).text, object_text("mutex", mutex).text,
                               place_text(place_of(self)).text));
  if (int code = wait_allowed(self, kind.call, "condition", condition))
    return answer(self, code);
  const uint64_t deadline_ns = deadline_in(most_ns);
  hold_remove(self, mutex);
  {
    Guard guard(bucket_of(condition));
    self->wait_detail = reinterpret_cast<uint64_t>(mutex);
    wait_begin(self, kind, condition, deadline_ns);
  }
  // The mutex is still this thread's, and only that: a signal may have queued it there already.
  mutex_release(mutex);
  return wait_next();
}

Thread *signal(Thread *self, skein_condition_t *condition, bool all) {
  Woken woken;
  {
    Guard guard(bucket_of(condition));
    while (WaitRecord *record = ring_of(condition).pop()) {
      woken.push_back(record);
      if (!all)
        break;
    }
  }
  wait_go_on_all(woken, SKEIN_OK);
  return answer(self, SKEIN_OK);
}

} // namespace

extern "C" {

int skein_condition_signal_slow(skein_condition_t *condition);
int skein_condition_broadcast_slow(skein_condition_t *condition);

int skein_condition_signal_quick(skein_condition_t *condition) {
  if (!__atomic_load_n(&condition->waiters_, __ATOMIC_ACQUIRE))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_condition_signal_slow(condition);
}

int skein_condition_broadcast_quick(skein_condition_t *condition) {
  if (!__atomic_load_n(&condition->waiters_, __ATOMIC_ACQUIRE))
    return SKEIN_OK;
  SKEIN_SLOWLY skein_condition_broadcast_slow(condition);
}

Thread *skein_condition_wait_call(Thread *self, uint64_t condition, uint64_t mutex) {
  return wait(self, object_of<skein_condition_t>(condition), object_of<skein_mutex_t>(mutex), wait_kind, forever);
}

Thread *skein_condition_timedwait_call(Thread *self, uint64_t condition, uint64_t mutex, uint64_t most_ns) {
  return wait(self, object_of<skein_condition_t>(condition), object_of<skein_mutex_t>(mutex), timedwait_kind, most_ns);
}

Thread *skein_condition_signal_call(Thread *self, uint64_t condition) {
  return signal(self, object_of<skein_condition_t>(condition), false);
}

Thread *skein_condition_broadcast_call(Thread *self, uint64_t condition) {
  return signal(self, object_of<skein_condition_t>(condition), true);
}

void skein_condition_init(skein_condition_t *condition) { *condition = SKEIN_CONDITION_INITIALIZER; }

Thread *skein_condition_destroy_call(Thread *self, uint64_t argument) {
  auto *condition = object_of<skein_condition_t>(argument);
  return answer(self, unwaited(self, "skein_condition_destroy", "condition", condition, ring_of(condition)));
}

} // extern "C"

} // namespace skein
