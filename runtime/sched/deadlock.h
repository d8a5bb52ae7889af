// When every thread waits and nobody is left who could wake one, the program says so and ends instead of hanging.
//
// It is certain only if the process is alone (no other node), no worker runs, no thread is ready, no event handler
// polls for work, and there is no kernel thread but the workers: any other could still signal a semaphore.
#ifndef SKEIN_SCHED_DEADLOCK_H
#define SKEIN_SCHED_DEADLOCK_H

namespace skein {

/// Whether threads of this process can be made ready only by its workers from now on. If so, and no worker runs a
/// thread, nothing will ever happen again. The caller has to look before, since this is slow, and again after: the last
/// act of a kernel thread that is gone may have been to make a thread ready.
bool nobody_else_can_wake();

/// Says who waits here for what. Nobody else changes threads.
void log_waiters();

/// Say who waits for what, and stop the scheduler with status fatal_status.
void deadlock_report();

} // namespace skein

#endif
