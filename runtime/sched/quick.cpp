// What quick ways have in common, and that of skein_yield: threads change places in the queue, and the processor goes
// from one to the other (skein_swap) without a look at the worker's stack. See quick.h.
#include "sched/quick.h"

#include "arch/x86_64/switch.h"
#include "base/tally.h"

using namespace skein;

namespace skein {

std::atomic<uint32_t> long_ways{long_policy | long_workers};

void long_way(LongWays reason, bool is) {
  if (is)
    long_ways.fetch_or(reason, std::memory_order_release);
  else
    long_ways.fetch_and(~uint32_t{reason}, std::memory_order_release);
}

} // namespace skein

#ifndef SKEIN_FIBERS // a sanitizer wants to hear of each switch: there is only the long way

namespace skein {

namespace {

inline void set_running(Thread *thread, const Worker &worker) {
  thread->settling = false;
  thread->worker = worker.index;
  thread->state.store(ThreadState::running, std::memory_order_relaxed);
}

} // namespace

[[gnu::always_inline]] Thread *quick_turn(const ReadyQueue &queue, const Worker &worker) {
  Thread *next = queue_turn(queue);
  if (!next || !quick_resumable(next, worker))
    return nullptr;
  const bool begins = !next->stack;
  return begins && (!thread_plain(*next) || !thread_beginnable_quickly(*next)) ? nullptr : next;
}

[[gnu::always_inline]] void quick_begin(Thread *thread, const Worker &worker) {
  if (!thread->stack)
    thread_begin_quickly(thread);
  set_running(thread, worker);
}

} // namespace skein

namespace {

/// Lets a fresh thread go, if it is the turn of one, and `self` to the end of the queue. Null: the long way decides. By
/// who holds the queue's lock.
///
/// Mostly it is the turn of a started one. So this is beside the way, and keeps the registers of its caller, which
/// would otherwise save six of its own at each yield.
[[gnu::noinline]] __attribute__((preserve_most)) Thread *exchange_for_fresh(ReadyQueue &queue, const Worker &worker,
                                                                            Thread *self) {
  Thread *next = quick_turn(queue, worker);
  if (!next)
    return nullptr;
  tally(Tally::put_started);
  tally(Tally::put);
  tally(Tally::got);
  self->state.store(ThreadState::ready, std::memory_order_relaxed);
  queue_exchange_turn(queue, next, self);
  quick_begin(next, worker);
  return next;
}

/// The same of a started one, whose turn it is.
inline Thread *exchange_for_started(ReadyQueue &queue, const Worker &worker, Thread *self) {
  Thread *next = queue.started.first();
  if (!quick_resumable(next, worker))
    return nullptr;
  self->state.store(ThreadState::ready, std::memory_order_relaxed);
  queue_exchange_started(queue, next, self);
  set_running(next, worker);
  return next;
}

/// Who runs next if the thread that runs on `worker` yields; the thread itself if nobody else is ready; null: the long
/// way decides. `until_saved`: the lock under which the thread can be found.
inline Thread *exchange(Worker &worker, std::atomic<bool> *&until_saved) {
  Thread *self = worker.current;
  if (!quick_suspendable(self))
    return nullptr;
  QuickVisit visit(worker);
  ReadyQueue *queue = visit.queue();
  if (!queue)
    return nullptr;
  if (!queue->count.load(std::memory_order_relaxed))
    return workers_running() == 1 ? self : nullptr; // the long way looks at another's queue, too
  std::atomic<bool> &held = queue->lock.lock(&worker);
  const bool started = !queue->started.empty() && queue_started_may_go(*queue);
  Thread *next = __builtin_expect(started, 1) ? exchange_for_started(*queue, worker, self)
                                              : exchange_for_fresh(*queue, worker, self);
  if (!next) {
    queue->lock.unlock(held);
    return nullptr;
  }
  until_saved = &queue->lock.unlock_later(held);
  return next;
}

} // namespace

#endif

extern "C" {

uint64_t skein_yield_slow(Thread *, Processor *, std::atomic<bool> *);

/// What skein_yield jumps to; the parameters are those of skein_swap, and nobody passes them.
uint64_t skein_yield_quick(Thread *, Processor *processor, std::atomic<bool> *until_saved) {
#ifndef SKEIN_FIBERS
  processor = skein_processor;
  if (processor) {
    Thread *next = exchange(*static_cast<Worker *>(processor), until_saved);
    if (next && next != processor->current) [[clang::musttail]]
      return skein_swap(next, processor, until_saved);
    if (next)
      return 0;
  }
#endif
  [[clang::musttail]] return skein_yield_slow(nullptr, processor, until_saved);
}
}
