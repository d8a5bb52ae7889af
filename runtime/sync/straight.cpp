// The quick ways (sched/quick.h) of skein_join and of a thread's end: straight to the thread that is waited for, and
// straight back.
//
//     joiner                              joined, the newest, not begun
//     skein_join(id)
//       its stack, its first context
//       blocked, on the list of who waits
//       skein_swap  --------------------> function(…)
//                                         the end: result to the joiner,
//                                         out of the table, record and stack free
//     goes on  <------------------------- skein_go
//
// What others can see of it in between is what the long way leaves: the joiner is blocked, on the list, and can be
// cancelled, woken by the end in the long way, or joined itself; the other one runs, and may block, yield or spawn. So
// the two halves do not depend on each other: each looks whether it can be quick when its turn comes.
//
// The order is that of the policy `local`: the newest fresh thread is next if no started one is ready, and who is woken
// when nobody else is ready is next, unless it is a fresh one's turn. Going straight to a thread in the middle of the
// queue was rejected: a loop of spawn and join would keep all others waiting.
//
// At the end the thread runs on a stack that is free already, and on none of its own from skein_go's first instruction
// on. Only this kernel thread can give that stack away, and it does nothing else before the joiner goes on.
#include "sched/quick.h"
#include "sync/join.h"

#include "arch/x86_64/switch.h"
#include "base/tally.h"
#include "sched/limits.h"

using namespace skein;

#ifndef SKEIN_FIBERS // a sanitizer wants to hear of each switch: there is only the long way

namespace {

/// The thread of that id begins, and whoever runs on `worker` waits for it; null: the long way decides.
inline Thread *begin(uint64_t id, Worker &worker) {
  ReadyQueue *queue = quick_queue(worker);
  Thread *self = worker.current;
  if (!queue || !queue->started.empty() || !quick_suspendable(self))
    return nullptr;
  Thread *next = queue->fresh_turns + 1 < queue_fresh_most ? queue->fresh.last() : queue->fresh.first();
  if (!next || next->id != id || !quick_resumable(next, worker) || !thread_plain(*next) ||
      events.thread_started.for_plain() || !thread_begin_alone(next))
    return nullptr;
  queue_take_fresh_alone(*queue, next);
  tally(Tally::got);
  quick_set_running(next, worker);
  join_wait_alone(self, next);
  return next;
}

/// The thread that runs on `worker` has returned and is no more, and who waited for it goes on; null: the long way
/// decides.
inline Thread *end(uint64_t result, uint64_t real, Worker &worker) {
  Thread *self = worker.current;
  if (!self->join.awaited || self->id == main_id || self->end.begun || !thread_plain(*self) ||
      events.thread_returned.for_plain() || events.thread_ended.for_plain() ||
      limits_any.load(std::memory_order_relaxed) || !thread_deletable_alone(*self))
    return nullptr;
  ReadyQueue *queue = quick_queue(worker);
  if (!queue || !queue->started.empty() || (!queue->fresh.empty() && queue->turns >= queue_started_most))
    return nullptr;
  Thread *next = join_waiter_alone(self);
  if (!next || !quick_resumable(next, worker) || !quick_suspendable(next))
    return nullptr;
  if (!queue->fresh.empty())
    queue->turns++;
  if (thread_returns(*self))
    self->join.returned = thread_result(*self, result, real);
  join_given_alone(next, self);
  tally(Tally::ended);
  thread_delete_alone(self);
  worker.ended = true;
  quick_set_running(next, worker);
  return next;
}

} // namespace

#endif

extern "C" {

void skein_join_slow(Thread *, Processor *);
[[noreturn]] void skein_thread_exit_slow(uint64_t result, uint64_t real);

/// What skein_join jumps to; the parameters are those of skein_swap: the first is an id in truth, and nobody passes the
/// other. What skein_join returns is the stubs' to say.
void skein_join_quick(Thread *id, Processor *processor) {
#ifndef SKEIN_FIBERS
  processor = skein_processor;
  if (processor && alone_mine && alone_enter_mine()) {
    if (Thread *next = begin(reinterpret_cast<uint64_t>(id), *static_cast<Worker *>(processor))) [[clang::musttail]]
      return skein_swap(next, processor);
    alone_leave();
  }
#endif
  [[clang::musttail]] return skein_join_slow(id, processor);
}

/// What skein_thread_exit jumps to.
void skein_thread_exit_quick(uint64_t result, uint64_t real) {
#ifndef SKEIN_FIBERS
  if (alone_mine && alone_enter_mine()) {
    Processor *processor = skein_processor;
    if (Thread *next = end(result, real, *static_cast<Worker *>(processor)))
      skein_go(next, processor);
    alone_leave();
  }
#endif
  skein_thread_exit_slow(result, real);
}
}
