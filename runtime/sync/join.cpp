// skein_join; see join.h.
#include "sync/join.h"

#include "base/id_table.h"
#include "sync/c_locks.h"
#include "sync/ending.h"
#include "sync/hold_reports.h"
#include "sync/waits.h"
#include "thread/table.h"

#include <skein/skein.h>

#include <cstring>
#include <new>

namespace skein {

void (*join_elsewhere)(uint64_t id);
void (*detach_elsewhere)(uint64_t id);

namespace {

/// What is known of threads that are not here, under the table's lock of their ids.
struct Absent {
  IdTable<Ring> joiners;
  IdTable<Result> kept; // of threads that have ended
};
Absent absent[thread_locks];

Absent &absent_of(uint64_t id) { return absent[thread_lock_of(id)]; }

Ring &joiners_of(Thread &thread) { return reinterpret_cast<Ring &>(thread.join.waiters); }

/// Under the table's lock: the ring of those that wait for the thread of that id, or null. `here`: its record, if it is
/// on this node.
Ring *joiners_of(uint64_t id, Thread *here) { return here ? &joiners_of(*here) : absent_of(id).joiners.find(id); }

constexpr const char *join_reason = "skein_join";
/// What says that a thread waits for that one. It is odd, which the address of no object is.
void *as_object(uint64_t id) { return reinterpret_cast<void *>(2 * id + 1); }

/// main mostly joins one thread after the other. At their birth node that takes 0.2 us each, from any other node 28,
/// and each such join interrupts what this node computes. So main may not be stolen until it has run again.
void stay_to_join(Thread *waiter, uint64_t id) {
  if (waiter->id == main_id && thread_id_node(id) == node.self)
    waiter->settling = true;
}

/// `waiter` is in no ring any more.
void wake(Thread *waiter, uint64_t id, int code, const char *text, const Result &result) {
  waiter->join_result = result;
  if (text)
    thread_error(waiter, code, "%s", text);
  else
    thread_error_clear(waiter);
  stay_to_join(waiter, id);
  thread_wake(waiter, static_cast<uint64_t>(code));
}

void on_returned(Thread *thread) {
  if (thread_id_node(thread->id) != node.self) // its birth node hears of it with its end
    return;
  thread_unlist(thread, [](Thread *ended) {
    if (joiners_of(*ended).empty() && !ended->join.detached.load(std::memory_order_relaxed))
      absent_of(ended->id).kept[ended->id] = ended->join.returned;
  });
}

/// The thread is out of the table, so nobody else touches its ring any more.
void on_ended(Thread *thread) {
  if (holds_any(*thread))
    holds_at_end(*thread);
  while (Thread *waiter = joiners_of(*thread).pop_front()) {
    thread->join.taken = true;
    wake(waiter, thread->id, SKEIN_OK, nullptr, thread->join.returned);
  }
}

/// Neither the other threads that waited nor those that held a lock exist in the child.
void on_forked() {
  for (Absent &known : absent)
    new (&known) Absent();
  if (Thread *self = thread_current())
    self->join.waiters = nullptr;
  waits_after_fork();
  c_locks_after_fork();
}

} // namespace

void join_start() {
  waits_start();
  ending_start();
  events.thread_returned.add(on_returned, true);
  events.thread_ended.add(on_ended, true);
  events.forked.add(on_forked);
}

bool join_wake(uint64_t id, int code, const char *text, const Result *result) {
  Woken woken;
  Result given;
  thread_locked(id, [&](Thread *here) {
    Ring *ring = joiners_of(id, here);
    if (!ring || ring->empty())
      return;
    while (Thread *waiter = ring->pop_front())
      woken.push_back(&waiter->wait.record);
    Absent &known = absent_of(id);
    if (!here)
      known.joiners.erase(id);
    known.kept.take(id, given);
  });
  if (woken.empty())
    return false;
  if (result)
    given = *result;
  while (WaitRecord *record = woken.pop_front())
    wake(thread_of(record), id, code, text, given);
  return true;
}

bool join_departs(Thread *thread) {
  thread_unlist(thread, [](Thread *departs) {
    Ring &ring = joiners_of(*departs);
    if (!ring.empty())
      absent_of(departs->id).joiners[departs->id].take_all(ring);
  });
  return thread->join.awaited;
}

void join_arrives(Thread *thread) {
  IdTable<Ring> &joiners = absent_of(thread->id).joiners;
  if (Ring *ring = joiners.find(thread->id)) {
    joiners_of(*thread).take_all(*ring);
    joiners.erase(thread->id);
    thread->join.awaited = true;
  }
}

[[gnu::always_inline]] void join_wait_quickly(Thread *self, Thread *thread) {
  self->wait.reason = join_reason;
  __atomic_store_n(&self->wait.object, as_object(thread->id), __ATOMIC_RELEASE); // as thread_block
  self->state.store(ThreadState::blocked, std::memory_order_relaxed);
  thread->join.awaited = true;
  joiners_of(*thread).push_back(self);
}

void join_wait_not(Thread *self, Thread *thread) {
  joiners_of(*thread).take(self);
  self->wait.reason = nullptr;
  self->state.store(ThreadState::running, std::memory_order_relaxed);
}

/// Under the table's lock: whether the thread of that id, which is not here, has ended; `kept` is what is kept of it.
static bool is_over(uint64_t id, Result &kept) {
  return !join_elsewhere && (absent_of(id).kept.take(id, kept) || thread_id_given(id));
}

bool join_over_quickly(Thread *self, uint64_t id) {
  Result kept;
  if (!is_over(id, kept))
    return false;
  self->join_result = kept;
  thread_error_clear(self);
  return true;
}

/// Whether what the thread returned is kept if nobody waits for it.
static bool is_to_be_kept(const Thread &thread) {
  return thread_returns(thread) && !thread.join.detached.load(std::memory_order_relaxed);
}

[[gnu::always_inline]] bool join_ends_quickly(Thread *thread, Thread *&waiter) {
  const Ring &ring = joiners_of(*thread);
  waiter = ring.first();
  return waiter ? !ring.after(waiter) : !is_to_be_kept(*thread) || !absent_of(thread->id).kept.full();
}

[[gnu::always_inline]] void join_ended_quickly(Thread *thread, const Result &returned, Thread *waiter) {
  if (waiter) {
    joiners_of(*thread).take(waiter);
    waiter->wait.reason = nullptr;
    waiter->join_result = returned;
    waiter->result = SKEIN_OK;
    thread_error_clear(waiter);
  } else if (is_to_be_kept(*thread)) {
    absent_of(thread->id).kept[thread->id] = returned;
  }
}

void join_keep(uint64_t id, const Result &result) {
  thread_locked(id, [&](Thread *) { absent_of(id).kept[id] = result; });
}

void join_each_kept(void (*function)(uint64_t id, const Result &result)) {
  for (Absent &known : absent)
    known.kept.each([&](uint64_t id, const Result &result) { function(id, result); });
}

Result join_take(uint64_t id) {
  Result result;
  thread_locked(id, [&](Thread *) { absent_of(id).kept.take(id, result); });
  return result;
}

bool join_detach_here(uint64_t id) {
  return thread_with(id, [](Thread *thread) { thread->join.detached.store(true, std::memory_order_relaxed); });
}

bool join_withdraw(Thread *thread, uint64_t id) {
  void *object = __atomic_load_n(&thread->wait.object, __ATOMIC_ACQUIRE);
  const auto target = reinterpret_cast<uint64_t>(object) >> 1;
  if (object != as_object(target))
    return false; // it waits for something else by now
  bool ours = false;
  thread_locked(target, [&](Thread *here) {
    Ring *ring = joiners_of(target, here);
    // If it waits for `target`, and is in a ring, it is in this one, and stays in it under the lock that we hold.
    if (!ring || ring->empty() || __atomic_load_n(&thread->wait.object, __ATOMIC_ACQUIRE) != object ||
        !thread->wait.record.queued.load(std::memory_order_acquire) || thread->id != id || !cancel_due(*thread))
      return;
    ring->remove(thread);
    if (!here && ring->empty())
      absent_of(target).joiners.erase(target);
    ours = true;
  });
  return ours;
}

bool join_waits(uint64_t id) {
  bool waits = false;
  thread_locked(id, [&](Thread *here) {
    const Ring *ring = joiners_of(id, here);
    waits = ring && !ring->empty();
  });
  return waits;
}

extern "C" Thread *skein_join_call(Thread *self, uint64_t id) {
  if (id == self->id)
    return answer(self,
                  thread_error(self, SKEIN_ETHREAD, "skein_join: thread %s waits for itself", thread_name(id).text));
  if (!id)
    return answer(self, thread_error(self, SKEIN_ETHREAD,
                                     "skein_join: 0 is no thread (the result of a skein_spawn that failed?)"));
  Result kept;
  bool gone = false, over = false;
  if (!join_elsewhere)
    thread_locked(id, [&](Thread *thread) {
      gone = !thread;
      over = gone && is_over(id, kept);
    });
  if (over) {
    self->join_result = kept;
    return succeed(self);
  }
  if (gone)
    return answer(self, thread_error(self, SKEIN_ETHREAD, "skein_join: there is and was no thread of that id"));
  thread_block(self, join_reason, as_object(id));
  Worker &worker = *worker_current();
  const uint64_t own_id = self->id;
  bool elsewhere = false;
  const bool here = thread_locked(id, [&](Thread *thread) {
    gone = !thread && !join_elsewhere; // it has ended since the look before
    elsewhere = thread && join_runs_elsewhere(*thread, worker);
    if (gone) {
      absent_of(id).kept.take(id, kept);
      return;
    }
    if (thread)
      thread->join.awaited = true;
    worker.wanted.store(thread, std::memory_order_relaxed);
    Ring *ring = joiners_of(id, thread);
    (ring ? *ring : absent_of(id).joiners[id]).push_back(self);
    wait_point(self);
  });
  // From here on another worker may already run self.
  if (elsewhere)
    thread_place(own_id).lock().share(&worker);
  if (gone)
    wake(self, id, SKEIN_OK, nullptr, kept);
  else if (!here)
    join_elsewhere(id);
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

/// What is wanted by whoever asks for a type of a class of __builtin_classify_type; none: what is no word.
static ResultKind kind_wanted(size_t bytes, int type_class) {
  constexpr int pointer_class = 5, real_class = 8; // others are integers, or no words
  if (type_class == pointer_class)
    return ResultKind::pointer;
  if (type_class == real_class)
    return ResultKind::real;
  return bytes <= sizeof(Result::value) && type_class >= 1 && type_class <= 4 ? ResultKind::integer : ResultKind::none;
}

/// skein_joined_ but for the usual case.
[[gnu::noinline]] static int joined_slowly(Thread *self, void *to, size_t bytes, ResultKind wanted) {
  const Result &result = self->join_result;
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

extern "C" int skein_joined_(void *to, size_t bytes, int type_class) {
  Thread *self = thread_current();
  const Result &result = self->join_result;
  const ResultKind wanted = kind_wanted(bytes, type_class);
  if (result.kind != wanted || wanted == ResultKind::none || bytes != sizeof result.value)
    return joined_slowly(self, to, bytes, wanted);
  std::memcpy(to, &result.value, sizeof result.value);
  return SKEIN_OK;
}

} // namespace skein
