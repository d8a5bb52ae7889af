// skein_join; see join.h.
//
// Order between a waiter and the end of its thread: the waiter is put on the list first, then the thread is marked
// `joined` under its table shard's lock, if it is still in the table. The end takes the thread out of the table first
// and then reads the mark. So either the end sees the mark, and with it the waiter, or the waiter finds the thread
// gone.
#include "sync/join.h"

#include "sync/ending.h"
#include "sync/holds.h"
#include "sync/waits.h"

#include <skein/skein.h>

#include <new>

namespace skein {

void (*join_elsewhere)(uint64_t id);

namespace {

constexpr size_t bucket_count = 256;

struct Bucket {
  SpinLock lock{Rank::join};
  List<Thread> waiters; // of several ids; Thread::wait_object is the id
};

Bucket buckets[bucket_count];

Bucket &bucket_of(uint64_t id) { return buckets[(id ^ id >> id_node_shift) % bucket_count]; }
void *as_object(uint64_t id) { return reinterpret_cast<void *>(id); }

void on_ended(Thread *thread) {
  if (holds_any(*thread))
    holds_at_end(*thread);
  if (thread->joined)
    join_wake(thread->id, SKEIN_OK, nullptr);
}

/// The others that waited do not exist in the child, and whoever held a lock neither.
void on_forked() {
  for (Bucket &bucket : buckets)
    new (&bucket) Bucket();
  waits_after_fork();
}

void on_incoming(Thread *thread) { thread->joined = join_waits(thread->id); }

} // namespace

void join_start() {
  waits_start();
  ending_start();
  events.thread_ended.add(on_ended);
  events.incoming.add(on_incoming);
  events.forked.add(on_forked);
}

void join_wake(uint64_t id, int code, const char *text) {
  List<Thread> woken;
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
  }
  while (Thread *waiter = woken.pop_front()) {
    if (text)
      thread_error(waiter, code, "%s", text);
    else
      thread_error_clear(waiter);
    thread_wake(waiter, static_cast<uint64_t>(code));
  }
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
  thread_block(self, "skein_join", as_object(id));
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

} // namespace skein
