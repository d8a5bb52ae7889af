// The quick way of skein_yield: one worker, one bundle, the policy `local`, and the next thread in its queue needs
// nothing but to be resumed. Then threads change places in the queue, and the processor goes from one to the other
// (skein_swap) without a look at the worker's stack.
//
// It is the quick way of somebody who is alone (base/alone.h): all of it, up to the moment when the caller's context is
// saved, is between alone_enter and alone_leave. So nobody else takes the caller out of the queue before it can be
// resumed, nobody changes the bundle's events, holds the queue's lock or looks at the counts, which are the same before
// and after. Whatever asks for more (a deadline, a cancel, a limit, a bound or fresh thread, a stack that grows,
// private globals of another thread) goes the long way, which decides the same in all cases that are served here.
#include "base/alone.h"
#include "sched/bundle_table.h"
#include "sched/bundles/queue.h"
#include "sched/timers.h"
#include "sched/worker.h"

#include "arch/x86_64/switch.h"

using namespace skein;

#ifndef SKEIN_FIBERS // a sanitizer wants to hear of each switch: there is only the long way

namespace {

/// Who runs next if the thread that runs on `worker` yields; the thread itself if nobody else is ready; null: the long
/// way decides.
inline Thread *exchange(Worker &worker) {
  Thread *self = worker.current;
  if (self->bundle != bundle_root || bundles_many.load(std::memory_order_relaxed) ||
      bundle_root->events.load(std::memory_order_relaxed) != &skein_bundle_local || self->bound || self->limit ||
      self->cancelled.load(std::memory_order_relaxed) || worker.bound_count.load(std::memory_order_relaxed) ||
      timers_pending())
    return nullptr;
  ReadyQueue &queue = static_cast<ReadyQueue *>(bundle_root->data)[worker.index];
  if (!queue.fresh.empty())
    return nullptr;
  Thread *next = queue.started.first();
  if (!next)
    return self;
  if (next->limit || next->segment != worker.segment || next->interrupted.load(std::memory_order_relaxed))
    return nullptr;
  List<Thread>::remove(next);
  next->bundle_data.store(nullptr, std::memory_order_relaxed);
  next->settling = false;
  next->worker = worker.index;
  next->state.store(ThreadState::running, std::memory_order_relaxed);
  self->state.store(ThreadState::ready, std::memory_order_relaxed);
  self->bundle_data.store(&queue, std::memory_order_relaxed);
  queue.started.push_back(self);
  return next;
}

} // namespace

#endif

extern "C" {

void skein_yield_slow(Thread *, Processor *);

/// What skein_yield jumps to; the parameters are those of skein_swap, and nobody passes them.
void skein_yield_quick(Thread *, Processor *processor) {
#ifndef SKEIN_FIBERS
  processor = skein_processor;
  if (processor && alone_mine && alone_enter_mine()) {
    Thread *next = exchange(*static_cast<Worker *>(processor));
    if (next && next != processor->current) [[clang::musttail]]
      return skein_swap(next, processor);
    alone_leave();
    if (next)
      return;
  }
#endif
  [[clang::musttail]] return skein_yield_slow(nullptr, processor);
}
}
