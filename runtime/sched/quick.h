// Quick ways: what a call does on its caller's stack when it need not ask anybody.
//
// A quick way is for somebody who is alone (base/alone.h). All of it is between alone_enter and alone_leave, so it is
// one step for all others: nobody takes a thread out of a queue in the middle, changes a bundle's events, holds a lock
// or looks at the counts. If it ends in another thread, skein_swap leaves for it, when the caller's context is saved.
//
// It decides what the long way would decide, or nothing: while there is one bundle, whose policy is `local`, the order
// of that policy is known, and written down here once more. Whatever asks for more (a deadline, a cancel, a limit, a
// bound thread, a stack that grows, private globals of another thread, somebody who listens to an event) goes the long
// way, before anything has happened.
//
//     skein_yield           quick.cpp           to the next thread in the queue
//     skein_spawn           api.cpp
//     skein_join, the end   sync/straight.cpp   straight to the thread that is waited for, and straight back
#ifndef SKEIN_SCHED_QUICK_H
#define SKEIN_SCHED_QUICK_H

#include "base/alone.h"
#include "sched/bundle_table.h"
#include "sched/bundles/queue.h"
#include "sched/timers.h"
#include "sched/worker.h"

namespace skein {

// All inside of alone_enter.

/// Where `worker` finds all threads that are ready, if nobody else has a say in which one is next. Else null.
inline ReadyQueue *quick_queue(const Worker &worker) {
  if (bundles_many.load(std::memory_order_relaxed) ||
      bundle_root->events.load(std::memory_order_relaxed) != &skein_bundle_local ||
      worker.bound_count.load(std::memory_order_relaxed) || timers_pending() ||
      stopping.load(std::memory_order_relaxed))
    return nullptr;
  return &static_cast<ReadyQueue *>(bundle_root->data)[worker.index];
}

/// Whether a thread that runs may be suspended by skein_swap, and one that is suspended be resumed by it.
inline bool quick_suspendable(const Thread *thread) {
  return !thread->bound && !thread->limit && !thread->end.cancelled.load(std::memory_order_relaxed);
}
inline bool quick_resumable(const Thread *thread, const Worker &worker) {
  return !thread->limit && thread->segment == worker.segment && !thread->interrupted.load(std::memory_order_relaxed);
}

/// thread_set_running, of one that is resumable.
inline void quick_set_running(Thread *thread, const Worker &worker) {
  thread->settling = false;
  thread->worker = worker.index;
  thread->state.store(ThreadState::running, std::memory_order_relaxed);
}

} // namespace skein

#endif
