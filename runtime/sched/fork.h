// fork(2) in a program with Skein threads. As with pthreads, only the thread that called it lives on in the child. The
// child is a whole program again, with one worker: it may spawn, and it ends when that thread has ended.
#ifndef SKEIN_SCHED_FORK_H
#define SKEIN_SCHED_FORK_H

namespace skein {

/// Registers the handler. Called once.
void fork_start();

/// Whether this process is the child of a fork that was called on a worker other than the first. Then this kernel
/// thread must call exit() when the scheduler stops, since the kernel thread that would return from main does not
/// exist.
bool fork_orphan();

} // namespace skein

#endif
