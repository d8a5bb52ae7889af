// Time slices: a thread that computes for long gives way to others that are ready.
//
// It can do so only where a frame map describes its frames and no register holds anything: at a poll, which the
// compiler puts into loops (-fskein-polls=loops). The *clock*, a kernel thread of its own, looks at the workers as
// often as the shortest slice of any bundle is long (skein_bundle_events::slice_ms, or the knob). If a worker has run
// the same thread for the slice of that thread's bundle since the clock first saw it, and another thread waits, the
// clock sets that worker's flag; the thread's next poll sees it and yields. So a thread runs for its slice, and for at
// most one look of the clock more. The flag belongs to the worker, not to the process, so no other worker is disturbed
// and the flag's cache line stays with its worker.
//
// The clock exists only where polls were compiled into the program, since otherwise nobody would look, and from the
// second thread on, if any bundle has slices. It sleeps as long as no thread is ready and none has a deadline
// (timers.h).
//
// Rejected: a timer signal for each worker (it interrupts system calls of the program); asking the kernel for the time
// in each poll.
#ifndef SKEIN_SCHED_TIME_SLICES_H
#define SKEIN_SCHED_TIME_SLICES_H

#include <skein/bundle.h>

#include <cstdint>

namespace skein {

struct Thread;

/// Whether some unit of the program was compiled with polls.
bool polls_compiled();

/// Installs the events that start the clock.
void slices_start();
/// In a process that is made of a copy: starts the clock's kernel thread again, if there was one. (It takes no lock, so
/// a copy may be made at any moment.)
void time_slices_reborn();
/// This kernel thread runs a worker from here on, so its flag can be set.
void slices_worker_start();

/// A bundle has other slices than before, or is new.
void slices_changed();
/// How long a thread may run under these events; `forever`: until it gives way by itself.
uint64_t slice_ns_of(const skein_bundle_events &events);

/// A thread was put into a queue, or has a deadline, so the clock has something to do.
void slices_notice();

/// Sets the flag of the worker that runs `thread`, if one does.
void slices_interrupt(const Thread *thread);

/// The same for all workers that run a thread.
void slices_interrupt_all();

/// How many kernel threads of this file there are (0 or 1); they wake no thread.
uint32_t slices_kernel_threads();

} // namespace skein

#endif
