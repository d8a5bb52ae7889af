// When every thread waits and nobody is left who could wake one, the program says so and ends instead of hanging.
//
// It is certain only if the process is alone (no other node), no worker runs, no thread is ready, no event handler
// polls for work, and there is no kernel thread but the workers: any other could still signal a semaphore.
#ifndef SKEIN_SCHED_DEADLOCK_H
#define SKEIN_SCHED_DEADLOCK_H

namespace skein {

/// Called by the last worker that finds nothing to do. Returns if something may still happen; else reports who waits
/// for what and stops the scheduler with status fatal_status.
void deadlock_check();

/// Whether threads of this process can be made ready only by its workers. If so, and no worker runs a thread, nothing
/// will ever happen again.
bool nobody_else_can_wake();

} // namespace skein

#endif
