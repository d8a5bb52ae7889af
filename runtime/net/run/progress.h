// The progress thread: one kernel thread of a node in a run of several, which sleeps until something arrives and
// answers it, also while every worker computes.
//
// It sleeps in epoll over the transport's descriptor, the launcher's socket and an eventfd, with a timeout for the next
// thing that is due (heartbeats, batches, steal retries, termination). It asks the kernel for a short slice and, where
// it may, for a better nice value: a thread that mostly sleeps then runs at once when it is woken, on a machine whose
// cores are all taken (measured: docs/benchmarks.md; the promise is 1 ms to answer a steal).
//
// Workers that wait for something *drive* the transport themselves for some microseconds, which saves two context
// switches a message. While one does, the progress thread leaves the transport alone and only looks five times a
// millisecond, in case the driver lost its core.
#ifndef SKEIN_NET_RUN_PROGRESS_H
#define SKEIN_NET_RUN_PROGRESS_H

#include <atomic>
#include <cstdint>

namespace skein {

/// Start it; from then on it also reads the launcher's socket. `on_bootstrap` returns false when the launcher is gone.
void progress_start(int bootstrap_socket, bool (*on_bootstrap)());

/// Have it look at everything that may be due, at most `nanoseconds` from now.
void progress_wake_within(uint64_t nanoseconds);

/// Whether it will do so anyway, within that time.
bool progress_looks_within(uint64_t nanoseconds);

/// A worker that has nothing to do drives until something is ready, or it is better to sleep. Whether something is
/// ready.
bool progress_drive();

/// A worker whose thread waits for something that arrives soon, and which has nothing else to do, drives in the middle
/// of that thread's call, until `done`. False: there is something else to do, it has taken too long, or so many of its
/// threads' calls did this in a row that it is time to be idle for once.
bool progress_drive_for(const std::atomic<bool> &done);
/// Room dsm's. Called before a worker that has nothing to do drives, and when the progress thread looks at what may be
/// due: what waits here for company leaves now.
extern void (*progress_before_idle)();

} // namespace skein

#endif
