// Deadlines of this node's threads: who sleeps, or waits no longer than so long.
//
// One pairing heap for the node, through links in the threads: nothing is allocated, arming is a few stores under a
// lock, the next deadline is known exactly. No kernel thread of its own looks at it; workers do:
//
//   * one that is idle sleeps until the next deadline. Of several idle ones one is enough, the *guard*; a worker that
//     finds work while nobody guards an earlier deadline wakes another, which becomes the guard.
//   * one that is busy looks when it switches threads, at most every look_ticks of the processor's clock (some 10 us).
//     With no deadline pending that costs a load.
//   * the clock of time slices takes a deadline that has passed for somebody who waits, so a loop with polls gives way.
//
// So a thread wakes no earlier than it asked for, and mostly within 100 us of it while a worker is idle. While all
// workers compute it wakes at their next switch: no other worker could run it anyway.
//
// A timer against a wake-up from elsewhere: firing is announced by the state `firing` under the heap's lock, then done
// without it; `timer_cancel` waits until it is over. So whoever wakes a thread and has cancelled its timer knows that
// the timer has let go of it, and `timers_expired` may look into a thread that is blocked while it is called.
//
// Rejected: a hierarchical wheel (arming is as quick, but it needs a tick, or a search, to know the next deadline); a
// timerfd or a signal (a system call for each sleep).
#ifndef SKEIN_SCHED_TIMERS_H
#define SKEIN_SCHED_TIMERS_H

#include "os/linux/futex.h"
#include "thread/thread.h"

#include <atomic>
#include <cstdint>

namespace skein {

/// The earliest deadline, or `forever`.
extern std::atomic<uint64_t> timers_next_ns;

inline bool timers_pending() { return timers_next_ns.load(std::memory_order_relaxed) != forever; }

/// In the child of a fork, where the others' deadlines do not exist.
void timers_after_fork();

/// The thread is about to be blocked; it is woken by timers_expired at `deadline_ns` of clock_ns().
void timer_arm(Thread *thread, uint64_t deadline_ns);
/// Whoever has taken a blocked thread out of what it waits in, before it wakes it.
void timer_cancel_slow(Timer &timer);
inline void timer_cancel(Timer &timer) {
  if (timer.state.load(std::memory_order_relaxed) != TimerState::idle)
    timer_cancel_slow(timer);
}

/// Set by room sync: the deadline of a thread has passed. It calls timer_settled as soon as it has no more use for the
/// record, or has taken the thread out of what it waits in and is about to wake it.
extern void (*timers_expired)(Thread *thread);
inline void timer_settled(Timer &timer) {
  timer.state.store(TimerState::idle, std::memory_order_release); // pairs with the acquire in timer_cancel_slow
}

/// Fire what is due; whether anything was. On a worker's stack.
bool timers_fire();
/// The same where threads are switched, now and then.
void timers_look_slow();
inline void timers_look() {
  if (timers_pending())
    timers_look_slow();
}

/// For how long this worker may sleep because of timers: not at all once it has found one due. `*guarding` is the
/// deadline it guards from now on, or `forever`; it goes to timers_guard_end after the sleep.
uint64_t timers_guard_begin(uint64_t *guarding);
void timers_guard_end(uint64_t guarding);
/// Whether a deadline is pending that no sleeping worker guards.
bool timers_unguarded();

} // namespace skein

#endif
