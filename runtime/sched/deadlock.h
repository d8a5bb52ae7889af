// When every thread waits and nothing is left that could wake one, the program says so and ends instead of hanging.
//
// This is certain only if the process is the only node, no worker runs a thread, no thread is ready, no event handler
// polls for work, and there is no kernel thread but the workers, since any other could still signal a semaphore.
#ifndef SKEIN_SCHED_DEADLOCK_H
#define SKEIN_SCHED_DEADLOCK_H

namespace skein {

/// Whether only workers can make threads of this process ready from now on. If so, and no worker runs a thread, nothing
/// will ever happen again. Since this is slow, the caller first checks that no thread is ready; and it checks again
/// afterwards, because a kernel thread that has just ended may have made one ready as its last act.
bool nobody_else_can_wake();

/// Logs each thread that waits, and what it waits for. No other kernel thread may change threads meanwhile.
void log_waiters();

/// Logs the same, and stops the scheduler with status fatal_status.
void deadlock_report();

} // namespace skein

#endif
