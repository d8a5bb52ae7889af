// fork(2) in a program with Skein threads: as with pthreads, only the thread that called it lives on in the child. The
// child is a whole program again, with one worker; it may spawn, and it ends when that thread has ended.
#ifndef SKEIN_SCHED_FORK_H
#define SKEIN_SCHED_FORK_H

namespace skein {

/// Register the handler. Once.
void fork_start();

/// Whether this process began as a fork of one with a runtime, in a worker other than the first: then that kernel
/// thread must call exit() when the scheduler stops, since the one that would return from main does not exist.
bool fork_orphan();

} // namespace skein

#endif
