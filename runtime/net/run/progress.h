// The progress thread: each node of a run of several has this kernel thread. It sleeps until a message arrives, and
// handles it, also while every worker computes.
//
// It sleeps in epoll over the transport's descriptor, the launcher's socket and an eventfd, with a timeout for what is
// due next (heartbeats, batches, retries of steals, termination). It asks the kernel for a short slice and, where that
// is permitted, for a better nice value. So it runs at once when it is woken, even on a machine all of whose cores are
// busy (measured in docs/benchmarks.md; the promise is that a steal is answered within 1 ms).
//
// A worker that waits for a message *drives* the transport itself for some microseconds, which saves two context
// switches a message. While a worker drives, the progress thread does not touch the transport. It only looks five times
// a millisecond, in case the driver has lost its core.
#ifndef SKEIN_NET_RUN_PROGRESS_H
#define SKEIN_NET_RUN_PROGRESS_H

#include <atomic>
#include <cstdint>

namespace skein {

/// Starts the thread. From then on it also reads the launcher's socket. `on_bootstrap` returns false when the
/// launcher is gone.
void progress_start(int bootstrap_socket, bool (*on_bootstrap)());
/// The same in a process that is made of a copy of one in which it ran.
void progress_begin_again(int bootstrap_socket);
/// Waits until the thread has ended, after on_bootstrap has returned false.
void progress_await_end();

/// Makes the thread look at everything that may be due, at most `nanoseconds` from now.
void progress_wake_within(uint64_t nanoseconds);

/// Whether the thread looks within that time anyway.
bool progress_looks_within(uint64_t nanoseconds);

/// Called by a worker that has nothing to do: it drives until a thread is ready, or until it is better to sleep.
/// Returns whether a thread is ready.
bool progress_drive();

/// Called in a handler: a message with a thread is about to come. Wakes a worker that sleeps, and for `nanoseconds` a
/// worker that has nothing to do drives.
void progress_expect(uint64_t nanoseconds);

/// Called by a worker whose thread waits for an answer that comes soon, and which has nothing else to do: it drives in
/// the middle of that thread's call, until `done`. False: another thread is ready, it has taken too long, or calls of
/// its threads have done this for so long that the worker must do the work of an idle one for once.
bool progress_drive_for(const std::atomic<bool> &done);

/// Set by room channels: does what is due there, and returns in how many nanoseconds the next thing is.
extern uint64_t (*progress_also_due)(uint64_t now);

/// Set by room dsm: sends the parcels that are open. Called before a worker that has nothing to do drives, and when the
/// progress thread looks at what may be due.
extern void (*progress_before_idle)();

} // namespace skein

#endif
