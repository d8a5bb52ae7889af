// A program that spawns a thread for each call and joins it switches threads twice a call. The quick ways
// (sched/quick.h) of skein_join and of a thread's end go straight to the next thread in the queue, mostly the one that
// is waited for, and straight back.
//
//     joiner                              joined, not begun
//     skein_join(id)
//       blocked, on the list of who waits
//       its stack
//       skein_swap  --------------------> function(…)
//                                         the end: result to the joiner,
//                                         out of the table, record and stack free
//     goes on  <------------------------- skein_go
//
// In between, others see what the long way would leave: the joiner is blocked, on the list, and can be cancelled, woken
// by the end in the long way, or joined itself; the other thread runs, and may block, yield or spawn. So the two halves
// do not depend on each other: each decides for itself whether it can be quick.
//
// The order is that of the policy `local`: if no started thread is ready, the fresh one that is joined is next, or else
// the newest; a thread that is woken when no other is ready is next, unless it is a fresh one's turn. A fresh thread
// that is joined counts as any other, so that a loop of spawn and join does not keep the oldest one waiting (queue.h).
//
// A thread that ends runs its last instructions on a stack that is free already. Only this kernel thread can give that
// stack away, and it does nothing else before the other thread goes on.
#include "sched/quick.h"
#include "sync/join.h"

#include "arch/x86_64/switch.h"
#include "base/tally.h"
#include "thread/table.h"

using namespace skein;

#ifndef SKEIN_FIBERS // a sanitizer wants to hear of each switch: there is only the long way

namespace {

/// Takes the thread whose turn it is (queue_turn) out of the queue. Null: there is none, or it must take the long way.
[[gnu::always_inline]] inline Thread *take_turn(ReadyQueue &queue, Worker &worker, const Thread *wanted = nullptr) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  BiasedGuard guard(queue.lock, &worker);
  Thread *next = quick_turn(queue, worker, wanted);
  if (!next)
    return nullptr;
  queue_take_turn(queue, next);
  TallyLine &line = tally_mine();
  tally_in(line, Tally::got);
  if (next->stack)
    tally_in(line, Tally::got_started);
  return next;
}

/// The thread that runs on `worker` is to wait for the one of that id. Returns the thread that runs instead; itself if
/// that one is over; null if the long way is to decide. `until_saved`: the lock under which the waiter can be found.
inline Thread *join(uint64_t id, Worker &worker, std::atomic<bool> *&until_saved) {
  Thread *self = worker.current;
  if (!quick_suspendable(self) || id == self->id)
    return nullptr;
  QuickVisit visit(worker);
  ReadyQueue *queue = visit.queue();
  if (!queue)
    return nullptr;
  const ThreadPlace place = thread_place(id);
  std::atomic<bool> &held = place.lock().lock(&worker);
  Thread *joined = thread_find(place, id), *next = nullptr;
  if (!joined) {
    next = !parked_find(id) && join_over_quickly(self, id) ? self : nullptr;
  } else if (join_runs_elsewhere(*joined, worker)) {
    next = nullptr; // the long way shares the lock of our id
  } else {
    join_wait_quickly(self, joined);
    std::atomic_signal_fence(std::memory_order_seq_cst); // partner: the heavy barrier in cancel_mark
    if (!self->end.cancelled.load(std::memory_order_relaxed))
      next = take_turn(*queue, worker, joined);
    if (next) {
      quick_begin(next, worker);
      until_saved = &place.lock().unlock_later(held);
      return next;
    }
    join_wait_not(self, joined);
  }
  place.lock().unlock(held);
  return next;
}

/// The thread that runs on `worker` has returned, and is no more. Returns the thread that goes on, which waited for it
/// or is next; null, with nothing done, if the long way is to decide.
inline Thread *end_straight(uint64_t result, uint64_t real, Worker &worker) {
  Thread *self = worker.current;
  if (self->id == main_id || self->end.begun || !thread_plain(*self) || !thread_deletable_quickly(*self))
    return nullptr;
  QuickVisit visit(worker);
  ReadyQueue *queue = visit.queue();
  if (!queue)
    return nullptr;
  Thread *next;
  {
    const ThreadPlace place = thread_place(self->id);
    BiasedGuard guard(place.lock(), &worker);
    Thread *waiter;
    if (!join_ends_quickly(self, waiter))
      return nullptr;
    if (waiter) {
      if (!quick_resumable(waiter, worker) || !quick_suspendable(waiter) || !queue->started.looks_empty() ||
          !queue_started_may_go(*queue))
        return nullptr;
      queue_started_goes(*queue);
      next = waiter;
    } else {
      next = take_turn(*queue, worker);
      if (!next)
        return nullptr;
    }
    join_ended_quickly(self, thread_result(*self, result, real), waiter);
    thread_leave(place, self);
  }
  quick_begin(next, worker); // before our stack is free
  thread_delete_quickly(self);
  tally_each_in(tally_mine(), Tally::ended, Tally::gone);
  worker.ended = true;
  return next;
}

} // namespace

#endif

extern "C" {

uint64_t skein_join_slow(Thread *, Processor *, std::atomic<bool> *);
void skein_thread_exit_slow(Thread *, Processor *);

/// What skein_join jumps to. The parameters are those of skein_swap; only the first is passed, and it is an id.
uint64_t skein_join_quick(Thread *id, Processor *processor, std::atomic<bool> *until_saved) {
#ifndef SKEIN_FIBERS
  processor = skein_processor;
  if (processor) {
    Thread *next = join(reinterpret_cast<uint64_t>(id), *static_cast<Worker *>(processor), until_saved);
    if (next && next != processor->current) [[clang::musttail]]
      return skein_swap(next, processor, until_saved);
    if (next)
      return SKEIN_OK;
  }
#endif
  [[clang::musttail]] return skein_join_slow(id, processor, until_saved);
}

/// What skein_thread_exit jumps to. The parameters are those of skein_go, but what they hold is what the thread
/// returned.
void skein_thread_exit_quick(Thread *result, Processor *real) {
#ifndef SKEIN_FIBERS
  Processor *processor = skein_processor;
  if (Thread *next = end_straight(reinterpret_cast<uint64_t>(result), reinterpret_cast<uint64_t>(real),
                                  *static_cast<Worker *>(processor))) [[clang::musttail]]
    return skein_go(next, processor);
#endif
  [[clang::musttail]] return skein_thread_exit_slow(result, real);
}
}
