// skein_join; see join.h.
//
// Order between a waiter and the end of its thread: the waiter is put on the list first, then the thread is marked
// `joined` under its table shard's lock, if it is still in the table. The end takes the thread out of the table first
// and then reads the mark. So either the end sees the mark, and with it the waiter, or the waiter finds the thread
// gone. (join.h says how results fit in.)
#include "sync/join.h"

#include "base/id_table.h"
#include "sync/c_locks.h"
#include "sync/ending.h"
#include "sync/holds.h"
#include "sync/waits.h"

#include <skein/skein.h>

#include <cstring>
#include <new>

namespace skein {

void (*join_elsewhere)(uint64_t id);
void (*detach_elsewhere)(uint64_t id);

namespace {

constexpr size_t bucket_count = 256;

struct Bucket {
  SpinLock lock{Rank::join};
  List<Thread> waiters; // of several ids; Thread::wait_object is the id
  IdTable<Result> kept; // of threads that have ended
};

Bucket buckets[bucket_count];

Bucket &bucket_of(uint64_t id) { return buckets[(id ^ id >> id_node_shift) % bucket_count]; }
constexpr const char *join_reason = "skein_join";
void *as_object(uint64_t id) { return reinterpret_cast<void *>(id); }

/// main mostly joins one thread after the other. Where they were born that takes 0.2 us each, from anywhere else 28,
/// and it interrupts whoever computes here: so it is not for thieves until it has run.
void stay_to_join(Thread *waiter, uint64_t id) {
  if (waiter->id == main_id && thread_id_node(id) == node.self)
    waiter->settling = true;
}

void on_returned(Thread *thread) {
  if (thread_id_node(thread->id) == node.self) // else its birth node hears of it with its end
    thread_with(thread->id, [](Thread *ended) {
      if (!ended->detached.load(std::memory_order_relaxed))
        join_keep(ended->id, ended->returned);
    });
}

void on_ended(Thread *thread) {
  if (holds_any(*thread))
    holds_at_end(*thread);
  if (thread->joined)
    thread->result_taken = join_wake(thread->id, SKEIN_OK, nullptr, &thread->returned);
}

/// The others that waited do not exist in the child, and whoever held a lock neither.
void on_forked() {
  for (Bucket &bucket : buckets)
    new (&bucket) Bucket();
  waits_after_fork();
  c_locks_after_fork();
}

/// It is in the table. Whoever comes onto the list later finds it there, and sets this, too; whoever looked there
/// before it was, under the lock of its shard, was on the list by then, and we see him without the list's.
void on_incoming(Thread *thread) {
  if (!thread->joined && !bucket_of(thread->id).waiters.looks_empty() && join_waits(thread->id))
    thread->joined = true;
}

} // namespace

void join_start() {
  waits_start();
  ending_start();
  events.thread_returned.add(on_returned, true);
  events.thread_ended.add(on_ended, true);
  events.incoming.add(on_incoming);
  events.forked.add(on_forked);
}

bool join_wake(uint64_t id, int code, const char *text, const Result *result) {
  List<Thread> woken;
  Result kept;
  Bucket &bucket = bucket_of(id);
  {
    Guard guard(bucket.lock);
    for (Thread *waiter = bucket.waiters.first(), *next; waiter; waiter = next) {
      next = bucket.waiters.after(waiter);
      if (waiter->wait_object == as_object(id)) {
        bucket.waiters.remove(waiter);
        woken.push_back(waiter);
      }
    }
    if (!woken.empty())
      bucket.kept.take(id, kept);
  }
  if (woken.empty())
    return false;
  const Result given = result ? *result : kept;
  while (Thread *waiter = woken.pop_front()) {
    waiter->join_result = given;
    if (text)
      thread_error(waiter, code, "%s", text);
    else
      thread_error_clear(waiter);
    stay_to_join(waiter, id);
    thread_wake(waiter, static_cast<uint64_t>(code));
  }
  return true;
}

void join_wait_alone(Thread *self, Thread *thread) {
  self->wait_reason = join_reason;
  self->wait_object = as_object(thread->id);
  self->state.store(ThreadState::blocked, std::memory_order_relaxed);
  bucket_of(thread->id).waiters.push_back(self);
  thread->joined = true;
}

Thread *join_waiter_alone(const Thread *thread) {
  const List<Thread> &waiters = bucket_of(thread->id).waiters;
  Thread *waiter = waiters.first();
  return waiter && waiter == waiters.last() && waiter->wait_object == as_object(thread->id) ? waiter : nullptr;
}

void join_given_alone(Thread *waiter, const Thread *thread) {
  List<Thread>::remove(waiter);
  waiter->wait_reason = nullptr;
  __atomic_store_n(&waiter->wait_object, nullptr, __ATOMIC_RELAXED);
  waiter->join_result = thread->returned;
  waiter->result = SKEIN_OK;
  thread_error_clear(waiter);
}

void join_keep(uint64_t id, const Result &result) {
  Bucket &bucket = bucket_of(id);
  Guard guard(bucket.lock);
  bucket.kept[id] = result;
}

Result join_take(uint64_t id) {
  Bucket &bucket = bucket_of(id);
  Guard guard(bucket.lock);
  Result result;
  bucket.kept.take(id, result);
  return result;
}

bool join_detach_here(uint64_t id) {
  return thread_with(id, [](Thread *thread) { thread->detached.store(true, std::memory_order_relaxed); });
}

bool join_withdraw(Thread *thread) {
  void *object = __atomic_load_n(&thread->wait_object, __ATOMIC_ACQUIRE);
  Bucket &bucket = bucket_of(reinterpret_cast<uint64_t>(object));
  Guard guard(bucket.lock);
  for (Thread *waiter = bucket.waiters.first(); waiter; waiter = bucket.waiters.after(waiter))
    if (waiter == thread) {
      bucket.waiters.remove(waiter);
      return true;
    }
  return false;
}

bool join_waits(uint64_t id) {
  Bucket &bucket = bucket_of(id);
  Guard guard(bucket.lock);
  for (Thread *waiter = bucket.waiters.first(); waiter; waiter = bucket.waiters.after(waiter))
    if (waiter->wait_object == as_object(id))
      return true;
  return false;
}

extern "C" Thread *skein_join_call(Thread *self, uint64_t id) {
  if (id == self->id) {
    self->result = static_cast<uint64_t>(
        thread_error(self, SKEIN_ETHREAD, "skein_join: thread %s waits for itself", thread_name(id).text));
    return self;
  }
  if (!id) {
    self->result = static_cast<uint64_t>(
        thread_error(self, SKEIN_ETHREAD, "skein_join: 0 is no thread (the result of a skein_spawn that failed?)"));
    return self;
  }
  thread_block(self, join_reason, as_object(id));
  Bucket &bucket = bucket_of(id);
  {
    Guard guard(bucket.lock);
    bucket.waiters.push_back(self);
    wait_point(self);
  }
  // From here on another worker may already run self.
  if (!thread_with(id, [](Thread *thread) { thread->joined = true; })) {
    if (join_elsewhere)
      join_elsewhere(id);
    else if (thread_id_given(id))
      join_wake(id, SKEIN_OK, nullptr);
    else
      join_wake(id, SKEIN_ETHREAD, "skein_join: there is and was no thread of that id");
  }
  return wait_next();
}

extern "C" Thread *skein_detach_call(Thread *self, uint64_t id) {
  thread_error_clear(self);
  const bool ours = thread_id_node(id) == node.self;
  if (!id || thread_id_node(id) >= node.count || (ours && !thread_id_given(id)))
    return answer(self, thread_error(self, SKEIN_ETHREAD, "skein_detach: there is and was no thread of that id"));
  if (detach_elsewhere)
    detach_elsewhere(id);
  else
    join_detach_here(id);
  if (ours)
    join_take(id);
  return answer(self, SKEIN_OK);
}

extern "C" int skein_joined_(void *to, size_t bytes, int type_class) {
  Thread *self = thread_current();
  const Result &result = self->join_result;
  constexpr int pointer_class = 5, real_class = 8; // of __builtin_classify_type; others are integers, or no words
  const ResultKind wanted = type_class == pointer_class                                            ? ResultKind::pointer
                            : type_class == real_class                                             ? ResultKind::real
                            : bytes <= sizeof result.value && (type_class >= 1 && type_class <= 4) ? ResultKind::integer
                                                                                                   : ResultKind::none;
  if (result.kind == ResultKind::none)
    return thread_error(
        self, SKEIN_ETHREAD,
        "skein_join_result: the thread has no result: its function returns nothing, or it was detached, "
        "or joined before");
  const bool narrow = wanted == ResultKind::real && bytes == sizeof(float);
  if (result.kind != wanted || (wanted == ResultKind::real && !narrow && bytes != sizeof(double)))
    return thread_error(self, SKEIN_ETHREAD, "skein_join_result: the thread's function returns %s, which does not fit",
                        result.kind == ResultKind::integer   ? "an integer"
                        : result.kind == ResultKind::pointer ? "a pointer"
                                                             : "a floating-point value");
  if (narrow) {
    double wide;
    std::memcpy(&wide, &result.value, sizeof wide);
    const auto value = static_cast<float>(wide);
    std::memcpy(to, &value, sizeof value);
  } else {
    std::memcpy(to, &result.value, bytes);
  }
  return SKEIN_OK;
}

} // namespace skein
