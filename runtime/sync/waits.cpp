// Rings, buckets, waking; see waits.h.
#include "sync/waits.h"

#include "base/node.h"
#include "base/uneven_barrier.h"
#include "private/regions/extents.h"
#include "sched/thread_dump.h"
#include "sched/timers.h"
#include "sync/ending.h"
#include "sync/names.h"
#include "trace/trace.h"

#include <skein/skein.h>

#include <new>

namespace skein {

void (*parking_watches)(Thread *self);
__thread bool parking_due;
void (*parking_parks)();
void (*parking_wakes)(Woken &parked);

namespace {

constexpr size_t bucket_count = 256;

struct alignas(64) Bucket {
  SpinLock lock{Rank::sync};
};
Bucket buckets[bucket_count];

void on_expired(Thread *thread) {
  const bool ours = wait_withdraw(thread);
  timer_settled(thread->timer);
  if (ours)
    wait_give_up(thread, SKEIN_ETIME);
}

bool describe_wait(const Thread &thread, char *to, size_t bytes) {
  if (!thread.wait.kind || !thread.wait.kind->describe)
    return false;
  thread.wait.kind->describe(thread, to, bytes);
  return true;
}

} // namespace

// --- rings -----------------------------------------------------------------------------------------------------------

void Ring::push_back(Thread *thread) {
  WaitRecord *record = &thread->wait.record;
  SKEIN_DEBUG_ASSERT(!record->linked(), "thread %s waits in two queues", thread_name(thread->id).text);
  thread->wait.record.queued.store(true, std::memory_order_release); // pairs with the acquire in wait_withdraw
  if (!first_) {
    record->next = record->previous = record;
    set_first(record);
    return;
  }
  record->next = first_;
  record->previous = first_->previous;
  record->previous->next = record;
  first_->previous = record;
}

void Ring::remove(Thread *thread) { remove(&thread->wait.record); }

void Ring::remove(WaitRecord *record) {
  record->queued.store(false, std::memory_order_relaxed);
  record->watched_by = 0;
  if (record->next == record) {
    set_first(nullptr);
  } else {
    if (first_ == record)
      set_first(static_cast<WaitRecord *>(record->next));
    record->previous->next = record->next;
    record->next->previous = record->previous;
  }
  record->next = record->previous = nullptr;
}

Thread *Ring::pop_front() {
  Thread *thread = first();
  if (thread)
    take(thread);
  return thread;
}

WaitRecord *Ring::pop() {
  WaitRecord *record = first_;
  if (!record)
    return nullptr;
  if (!record->parked) {
    take(thread_of(record));
    return record;
  }
  remove(record);
  __atomic_store_n(&static_cast<ParkedThread *>(record)->object, nullptr, __ATOMIC_RELEASE);
  return record;
}

void Ring::replace(WaitRecord *record, WaitRecord *by) {
  const bool alone = record->next == record;
  by->next = alone ? by : record->next;
  by->previous = alone ? by : record->previous;
  by->next->previous = by;
  by->previous->next = by;
  by->queued.store(true, std::memory_order_release); // as in push_back
  if (first_ == record)
    set_first(by);
  record->next = record->previous = nullptr;
  record->queued.store(false, std::memory_order_relaxed);
  record->watched_by = 0;
}

void Ring::take(Thread *thread) {
  remove(thread);
  // From here on its record may be linked into a list of woken threads. A null object keeps others from withdrawing it.
  __atomic_store_n(&thread->wait.object, nullptr, __ATOMIC_RELEASE);
}

void Ring::take_all(Ring &other) {
  WaitRecord *first = first_, *next = other.first_;
  if (!next)
    return;
  other.set_first(nullptr);
  if (!first) {
    set_first(next);
    return;
  }
  Link *last = first->previous, *end = next->previous;
  last->next = next;
  next->previous = last;
  end->next = first;
  first->previous = end;
}

Thread *Ring::after(const Thread *thread) const {
  auto *next = static_cast<WaitRecord *>(thread->wait.record.next);
  return next == first_ ? nullptr : waiter_of(next);
}

uint64_t Ring::count() const {
  uint64_t count = 0;
  for (const Link *record = first_; record; record = record->next == first_ ? nullptr : record->next)
    count++;
  return count;
}

// --- waiting ---------------------------------------------------------------------------------------------------------

SpinLock &bucket_of(const void *object) {
  const auto address = reinterpret_cast<uintptr_t>(object);
  return buckets[(address >> 3 ^ address >> 11 ^ address >> 19) % bucket_count].lock;
}

void wait_begin(Thread *self, const WaitKind &kind, void *object, uint64_t deadline_ns) {
  if (trace_on(TraceClass::locks))
    trace_record(TraceEvent::awaits, self->id, reinterpret_cast<uint64_t>(object), trace_text(kind.call), 0);
  thread_block(self, kind.call, object);
  __atomic_store_n(&self->wait.kind, &kind, __ATOMIC_RELAXED); // wait_withdraw looks at it without the lock
  static_cast<Ring *>(object)->push_back(self);
  if (deadline_ns != forever)
    timer_arm(self, deadline_ns);
  else if (kind.parks && parking_watches)
    parking_watches(self);
  wait_point(self);
}

/// A thread that this worker has just suspended and that was cancelled meanwhile; 0: none.
static __thread uint64_t cancelled_id;

void wait_point(Thread *self) {
  barrier_light(); // partner: the heavy one in skein_cancel_call
  if (cancel_due(*self))
    cancelled_id = self->id;
}

Thread *wait_next() {
  if (__builtin_expect(cancelled_id != 0, 0)) {
    const uint64_t id = cancelled_id;
    cancelled_id = 0;
    cancel_blocked(id);
  }
  if (__builtin_expect(parking_due, 0))
    parking_parks();
  return thread_next();
}

void wait_end(Thread *thread, uint64_t result) {
  timer_cancel(thread->timer);
  trace(TraceEvent::gets, thread->id, result);
  thread->wait.kind = nullptr;
  if (result == SKEIN_OK)
    thread_error_clear(thread);
  thread_wake(thread, result);
}

/// Calls go_on(thread) for those that are not parked.
template <class Function> static void each_woken(Woken &woken, uint64_t result, Function &&go_on) {
  Woken parked;
  while (WaitRecord *record = woken.pop_front()) {
    if (__builtin_expect(!record->parked, 1))
      go_on(thread_of(record));
    else
      parked.push_back(record);
  }
  if (__builtin_expect(parked.empty(), 1))
    return;
  SKEIN_ASSERT(result == SKEIN_OK, "parked threads are woken with %llu", static_cast<unsigned long long>(result));
  parking_wakes(parked);
}

void wait_end_all(Woken &woken, uint64_t result) {
  each_woken(woken, result, [&](Thread *thread) { wait_end(thread, result); });
}

void wait_go_on_all(Woken &woken, uint64_t result) {
  each_woken(woken, result, [&](Thread *thread) { thread->wait.kind->go_on(thread, result); });
}

uint64_t wait_again(Thread *thread, const WaitKind &kind, void *object, uint64_t deadline_ns) {
  __atomic_store_n(&thread->wait.object, object, __ATOMIC_RELEASE);
  thread->wait.reason = kind.call;
  __atomic_store_n(&thread->wait.kind, &kind, __ATOMIC_RELAXED);
  static_cast<Ring *>(object)->push_back(thread);
  if (deadline_ns != forever)
    timer_arm(thread, deadline_ns);
  barrier_light(); // partner: the heavy one in skein_cancel_call, which has not found it in the ring
  return cancel_due(*thread) ? thread->id : 0;
}

Thread *wait_take_away(uint64_t id) {
  Thread *taken = nullptr;
  thread_with(id, [&](Thread *thread) {
    if (thread->state.load(std::memory_order_acquire) == ThreadState::blocked && !thread->bound &&
        wait_withdraw(thread, Purpose::move))
      taken = thread;
  });
  if (!taken)
    return nullptr;
  timer_cancel(taken->timer);
  const WaitKind *kind = taken->wait.kind;
  taken->wait.kind = nullptr;
  kind->moved(taken);
  __atomic_store_n(&taken->wait.object, nullptr, __ATOMIC_RELEASE);
  taken->wait.reason = nullptr;
  taken->state.store(ThreadState::in_flight, std::memory_order_relaxed);
  return taken;
}

bool wait_withdraw(Thread *thread, Purpose purpose) {
  Woken woken;
  for (;;) {
    void *object = __atomic_load_n(&thread->wait.object, __ATOMIC_ACQUIRE);
    const bool joins = reinterpret_cast<uintptr_t>(object) & 1;
    if (!object || joins || !__atomic_load_n(&thread->wait.kind, __ATOMIC_ACQUIRE))
      return false;
    Guard guard(bucket_of(object));
    const WaitKind *kind = __atomic_load_n(&thread->wait.kind, __ATOMIC_ACQUIRE);
    // `queued` is read before the object is read again, so it tells of the ring whose lock is held.
    const bool queued = thread->wait.record.queued.load(std::memory_order_acquire);
    if (__atomic_load_n(&thread->wait.object, __ATOMIC_ACQUIRE) != object)
      continue; // it was taken out, and perhaps waits elsewhere
    if (!kind || !queued || (purpose == Purpose::cancel && kind->c_library) ||
        (purpose == Purpose::move && !kind->moved))
      return false;
    static_cast<Ring *>(object)->remove(thread);
    if (kind->withdrawn)
      kind->withdrawn(thread, woken);
    break;
  }
  wait_end_all(woken, SKEIN_OK);
  return true;
}

void wait_give_up(Thread *thread, uint64_t result) {
  if (result == SKEIN_ETIME && !thread->wait.kind->c_library)
    thread_error(thread, SKEIN_ETIME, "%s: the time is over", thread->wait.kind->call);
  if (thread->wait.kind->go_on)
    thread->wait.kind->go_on(thread, result);
  else
    wait_end(thread, result);
}

int unwaited(Thread *self, const char *call, const char *what, const void *object, const Ring &ring) {
  uint64_t waiters;
  {
    Guard guard(bucket_of(object));
    waiters = ring.count();
  }
  return waiters ? misuse(self, SKEIN_EBUSY, "%s: %llu threads wait for %s", call,
                          static_cast<unsigned long long>(waiters), object_text(what, object).text)
                 : SKEIN_OK;
}

int wait_allowed(Thread *self, const char *call, const char *what, const void *object) {
  if (node.count > 1 && private_owner(*self, reinterpret_cast<uintptr_t>(object)) == PrivateOwner::other)
    return thread_error(self, SKEIN_EPOINTER,
                        "%s: %s lies in the private memory of another thread, which may leave this node: let it be a "
                        "variable of the program, or allocate it in a unit without -fskein-heap=private",
                        call, object_text(what, object).text);
  return SKEIN_OK;
}

void waits_start() {
  timers_expired = on_expired;
  wait_describe = describe_wait;
}

void waits_after_fork() {
  for (Bucket &bucket : buckets)
    new (&bucket) Bucket();
}

} // namespace skein
