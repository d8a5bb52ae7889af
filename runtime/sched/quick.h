// Quick ways: what a call does on its caller's stack when it need not ask anybody.
//
// A quick way decides what the long way would decide, or nothing: while there is one bundle, whose policy is `local`,
// the order of that policy is known. Whatever asks for more (a deadline, a cancel, a limit, a bound thread, a stack
// that grows, private globals of another thread, somebody who listens to an event) goes the long way, before anything
// has happened.
//
//     skein_yield           quick.cpp           to the next thread in the queue
//     skein_join, the end   sync/straight.cpp   to the next thread in the queue; straight to the one that waits
//
// A thread that is suspended here can be found before its context is saved: in the queue, or where it waits. So the
// lock under which it is found (of the queue, of the id that it waits for) is held until then; skein_swap lets go of
// it. Both are mostly the worker's own (base/biased_lock.h), and cost nothing then.
#ifndef SKEIN_SCHED_QUICK_H
#define SKEIN_SCHED_QUICK_H

#include "base/barrier.h"
#include "sched/bundle_table.h"
#include "sched/bundles/queue.h"
#include "sched/timers.h"
#include "sched/worker.h"

namespace skein {

/// A visit to root (bundle.h) of a worker whose thread runs.
class QuickVisit {
public:
  [[gnu::always_inline]] explicit QuickVisit(Worker &worker) : worker_(worker) {
    worker.visits.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // partner: the heavy barrier in bundle_close
  }
  [[gnu::always_inline]] ~QuickVisit() { worker_.visits.store(0, std::memory_order_release); }
  QuickVisit(const QuickVisit &) = delete;

  /// Where the worker finds all threads that are ready, if nobody else has a say in which one is next. Else null.
  [[gnu::always_inline]] ReadyQueue *queue() const {
    if (long_ways.load(std::memory_order_acquire) | worker_.bound_count.load(std::memory_order_relaxed))
      return nullptr;
    return &static_cast<ReadyQueue *>(bundle_root->data)[worker_.index];
  }

private:
  Worker &worker_;
};

/// Whether a thread that runs may be suspended by skein_swap, and one that is suspended be resumed by it.
inline bool quick_suspendable(const Thread *thread) {
  return !(thread->bound | thread->limit | thread->end.cancelled.load(std::memory_order_relaxed));
}
inline bool quick_resumable(const Thread *thread, const Worker &worker) {
  return !(thread->limit | (thread->segment ^ worker.segment) | thread->interrupted.load(std::memory_order_relaxed));
}

/// The thread whose turn it is, if it can be resumed quickly; else null. By who holds the queue's lock.
Thread *quick_turn(const ReadyQueue &queue, const Worker &worker);
/// It has left the queue, and is about to be resumed.
void quick_begin(Thread *thread, const Worker &worker);

} // namespace skein

#endif
