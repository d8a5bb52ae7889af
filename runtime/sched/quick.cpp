// What the quick ways have in common (quick.h), and the quick way of skein_yield: two threads change places in the
// queue, and the processor goes from one to the other (skein_swap) without touching the worker's stack.
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

#ifndef SKEIN_FIBERS // a sanitizer must be told of each switch, so there is only the long way

namespace skein {

namespace {

inline void set_running(Thread *thread, const Worker &worker) {
  thread->settling = false;
  thread->worker = worker.index;
  thread->state.store(ThreadState::running, std::memory_order_relaxed);
}

} // namespace

[[gnu::always_inline]] Thread *quick_turn(const ReadyQueue &queue, const Worker &worker, const Thread *wanted) {
  Thread *next = queue_turn(queue, wanted);
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

/// If it is the turn of a fresh thread, takes it out and puts `self` at the end of the queue. Null: the long way
/// decides. The caller holds the queue's lock.
///
/// Mostly it is the turn of a started thread, so this function is kept out of line. It preserves the registers of its
/// caller, which would otherwise save six of its own at each yield.
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

/// The same for a started thread, whose turn it is.
inline Thread *exchange_for_started(ReadyQueue &queue, const Worker &worker, Thread *self) {
  Thread *next = queue.started.first();
  if (!quick_resumable(next, worker))
    return nullptr;
  self->state.store(ThreadState::ready, std::memory_order_relaxed);
  queue_exchange_started(queue, next, self);
  set_running(next, worker);
  return next;
}

/// The thread that runs next if the one that runs on `worker` yields: the same thread if no other is ready, or null if
/// the long way has to decide. `until_saved` is the lock under which the thread can be found.
inline Thread *exchange(Worker &worker, std::atomic<bool> *&until_saved) {
  Thread *self = worker.current;
  if (!quick_suspendable(self))
    return nullptr;
  QuickVisit visit(worker);
  ReadyQueue *queue = visit.queue();
  if (!queue)
    return nullptr;
  if (!queue->count.load(std::memory_order_relaxed))
    return workers_running() == 1 ? self : nullptr; // the long way also looks at another worker's queue
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

/// skein_yield jumps here. The parameters are those of skein_swap; the caller passes none.
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
