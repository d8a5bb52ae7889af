// The quick way of skein_yield (quick.h): the next thread in the queue needs nothing but to be resumed. Then threads
// change places in the queue, and the processor goes from one to the other (skein_swap) without a look at the worker's
// stack.
#include "sched/quick.h"

#include "arch/x86_64/switch.h"

using namespace skein;

#ifndef SKEIN_FIBERS // a sanitizer wants to hear of each switch: there is only the long way

namespace {

/// Who runs next if the thread that runs on `worker` yields; the thread itself if nobody else is ready; null: the long
/// way decides.
inline Thread *exchange(Worker &worker) {
  Thread *self = worker.current;
  ReadyQueue *queue = quick_queue(worker);
  if (!queue || !quick_suspendable(self) || !queue->fresh.empty())
    return nullptr;
  Thread *next = queue->started.first();
  if (!next)
    return self;
  if (!quick_resumable(next, worker))
    return nullptr;
  List<Thread>::remove(next);
  next->bundle_data.store(nullptr, std::memory_order_relaxed);
  quick_set_running(next, worker);
  self->state.store(ThreadState::ready, std::memory_order_relaxed);
  self->bundle_data.store(queue, std::memory_order_relaxed);
  queue->started.push_back(self);
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
