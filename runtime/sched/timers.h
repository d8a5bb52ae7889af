// Deadlines of this node's threads: a thread sleeps, or waits no longer than a given time.
//
// One pairing heap serves the node, with its links in the threads: nothing is allocated, arming is a few stores under a
// lock, and the next deadline is known exactly. No kernel thread of its own looks at it; workers do:
//
//   * An idle worker sleeps until the next deadline. Of several idle workers one is enough, the *guard*; a worker that
//     finds work while no worker guards an earlier deadline wakes another one, which becomes the guard.
//   * A busy worker looks when it switches threads, at most every look_ticks of the processor's clock (some 10 us).
//   With
//     no deadline pending that costs a load.
//   * The clock of time slices treats a deadline that has passed like a thread that waits, so a loop with polls gives
//   way.
//
// So a thread wakes no earlier than it asked for, and mostly within 100 us of it while a worker is idle. While all
// workers compute it wakes at their next switch: no other worker could run it anyway.
//
// A timer may fire while the thread is woken from elsewhere. The worker that fires it sets the state `firing` under the
// heap's lock and does the rest without the lock; `timer_cancel` waits until that is over. So a kernel thread that has
// cancelled the timer of a thread before it wakes it knows that the timer has let go of the thread, and
// `timers_expired` may look into a thread that stays blocked while it is called.
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

/// In the child of a fork, where the deadlines of the other threads do not exist.
void timers_after_fork();

/// The thread is about to be blocked; it is woken by timers_expired at `deadline_ns` of clock_ns().
void timer_arm(Thread *thread, uint64_t deadline_ns);
/// To be called, before the thread is woken, by what has taken it out of where it waits.
void timer_cancel_slow(Timer &timer);
inline void timer_cancel(Timer &timer) {
  if (timer.state.load(std::memory_order_relaxed) != TimerState::idle)
    timer_cancel_slow(timer);
}

/// Set by room sync: the deadline of a thread has passed. The function calls timer_settled as soon as it has no more
/// use for the record, or when it has taken the thread out of where it waits and is about to wake it.
extern void (*timers_expired)(Thread *thread);
inline void timer_settled(Timer &timer) {
  timer.state.store(TimerState::idle, std::memory_order_release); // pairs with the acquire in timer_cancel_slow
}

/// Fires each timer that is due, on a worker's stack. Returns whether there was any.
bool timers_fire();
/// The same, where threads are switched; it looks only every look_ticks.
void timers_look_slow();
inline void timers_look() {
  if (timers_pending())
    timers_look_slow();
}

/// For how many nanoseconds this worker may sleep as far as timers are concerned; 0 if one is due. `*guarding` is the
/// deadline that it guards from now on, or `forever`; it goes to timers_guard_end after the sleep.
uint64_t timers_guard_begin(uint64_t *guarding);
void timers_guard_end(uint64_t guarding);
/// Whether a deadline is pending that no sleeping worker guards.
bool timers_unguarded();

} // namespace skein

#endif
