// All workers of this node *halt*: none has a thread in its hands, and none takes one, until they are told to go on.
// That is how a checkpoint finds a node (net/run/halting.h): whatever a thread is, it is memory, suspended at a
// migration point, in a queue or where it waits.
//
// A worker halts when it is between two threads. A thread that runs is interrupted at its next poll, as at the end of
// its time slice; if it makes a call that looks for another thread, that is enough. It goes back to its bundle.
//
//     whoever halts                         a worker
//     wanted = 1                            ... its thread waits, yields, polls or ends
//     wakes those that sleep                the thread, if it could go on, is put back
//     sets the flags of polls, repeatedly   wanted? its caches are given back, halted++, sleeps
//     workers_halted: all have              (worker 0 runs what worker_zero_runs asks for)
//     wanted = 0, wakes them                halted--, wanted? (else it takes a thread)
//
// The last two looks of a worker are at `halted` and then at `wanted`, and those of whoever halts again the other way
// round. So a worker that is counted as halted takes no thread.
//
// Rejected: to let a worker halt with its thread in its hands (a copy of the process has only the kernel thread that
// was in fork(2), so what only another kernel thread's stack knows would be lost); a signal to each worker (it would
// stop threads where nobody can suspend them).
#ifndef SKEIN_SCHED_HALT_H
#define SKEIN_SCHED_HALT_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

struct Thread;
struct Worker;

/// Asks all workers to halt. May be called by any kernel thread that is no worker.
void workers_halt();
/// Whether all of them do. None takes a thread from then on until workers_go_on. (One that was still on its way out of
/// the halt before is counted at once, and then not for a moment, until it sees that it is to halt again.)
bool workers_halted();
void workers_go_on();
/// To be called now and then until they do: interrupts the threads that still run.
void workers_interrupt();
/// Words about a thread that still runs: "thread 7 runs `work` on worker 1". False: none does.
bool workers_describe(char *to, size_t bytes);

/// Set by room net: called by the last worker that halts.
extern void (*workers_have_halted)();

/// While all workers have halted: runs function(context) on the kernel thread of worker 0, which is the process's first
/// one, and returns when it has returned. If it returns true, this is another process now, made of a copy of the one in
/// which the function was called, and has that kernel thread alone. Nobody waits for the function then, and
/// `workers_reborn` is called instead. One at a time: it may be called when the function of the call before has
/// returned, also if that call has not.
void worker_zero_runs(bool (*function)(void *context), void *context);
/// Set by room checkpoint. The workers have halted when it is called, and stay so.
extern void (*workers_reborn)();
/// In such a process, on worker 0's kernel thread: starts the kernel threads of the other workers again, which halt.
void workers_begin_again();

// For worker.cpp.
extern std::atomic<uint32_t> halt_wanted;
inline bool workers_are_to_halt() { return __builtin_expect(halt_wanted.load(std::memory_order_relaxed), 0); }
/// The worker has no thread in its hands. Returns when it is to look for one, or for the end of the scheduler.
void worker_halts(Worker &worker);
/// The thread, which is suspended and could go on, is put back. Returns the thread to resume.
Thread *worker_puts_back(Thread *thread);
/// The scheduler stops.
void halt_stopping();
/// In the child of a fork, and where kernel threads are started again.
void halt_after_fork();
void halt_begin_again();

} // namespace skein

#endif
