// A call of the runtime normally switches to the worker's stack and asks the bundle. For calls as frequent as a yield
// that is much of the cost. A *quick way* does the same on the caller's stack when there is nothing to ask.
//
// A quick way decides exactly what the long way would decide, or nothing. It knows the order of the threads while there
// is one bundle whose policy is `local`. Whatever needs more (a deadline, a cancel, a limit, a bound thread, a growable
// stack, private globals of another thread, a listener to an event) goes the long way, before anything has happened.
//
//     skein_yield           quick.cpp           to the next thread in the queue
//     skein_join, the end   sync/straight.cpp   to the next thread in the queue; straight to the one that waits
//
// A thread that is suspended here can be found before its context is saved: in the queue, or where it waits. So the
// lock under which it can be found (of the queue, or of the id that it waits for) is held until then; skein_swap lets
// go of it. Both locks are biased towards the worker (base/biased_lock.h), and mostly cost nothing.
#ifndef SKEIN_SCHED_QUICK_H
#define SKEIN_SCHED_QUICK_H

#include "base/uneven_barrier.h"
#include "sched/bundle_table.h"
#include "sched/bundles/queue.h"
#include "sched/timers.h"
#include "sched/worker.h"

namespace skein {

/// A visit to root (bundle.h) by a worker whose thread runs.
class QuickVisit {
public:
  [[gnu::always_inline]] explicit QuickVisit(Worker &worker) : worker_(worker) {
    worker.visits.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // partner: the heavy barrier in bundle_close
  }
  [[gnu::always_inline]] ~QuickVisit() { worker_.visits.store(0, std::memory_order_release); }
  QuickVisit(const QuickVisit &) = delete;

  /// The queue in which the worker finds all threads that are ready, if nothing else decides which one is next; else
  /// null.
  [[gnu::always_inline]] ReadyQueue *queue() const {
    if (long_ways.load(std::memory_order_acquire) | worker_.bound_count.load(std::memory_order_relaxed))
      return nullptr;
    auto *queues = static_cast<ReadyQueue *>(bundle_root->data);
    __builtin_assume(queues != nullptr);
    ReadyQueue *queue = queues + worker_.index;
    return queue->asked.load(std::memory_order_relaxed) ? nullptr : queue; // the long way answers
  }

private:
  Worker &worker_;
};

/// Whether skein_swap may suspend a thread that runs, and whether it may resume one that is suspended.
inline bool quick_suspendable(const Thread *thread) {
  return !(thread->bound | thread->limit | thread->end.cancelled.load(std::memory_order_relaxed) |
           thread->interrupted.load(std::memory_order_relaxed));
}
inline bool quick_resumable(const Thread *thread, const Worker &worker) {
  return !(thread->limit | (thread->segment ^ worker.segment) | thread->interrupted.load(std::memory_order_relaxed));
}

/// The thread whose turn it is (queue_turn), if it can be resumed quickly; else null. The caller holds the queue's
/// lock.
Thread *quick_turn(const ReadyQueue &queue, const Worker &worker, const Thread *wanted = nullptr);
/// To be called for a thread that has left the queue and is about to be resumed.
void quick_begin(Thread *thread, const Worker &worker);

} // namespace skein

#endif
