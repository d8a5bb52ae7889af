// What happens when a thread runs off its stack: a message that names thread and function, then the death that any
// program would die of it (SIGSEGV, with a core dump if those are on).
//
// The handler runs on an alternate stack, one per worker, since the thread's own is full. Any other fault is not ours:
// the action that was there before is put back and the instruction faults again under it, so handlers and core dumps of
// the program work. A handler that the program installs later (--wrap=sigaction, signal) counts as one that was there
// before, since the runtime needs faults of its own (private/globals/globals.h). A fault that is blocked kills the
// process without a word, so a program whose faults are repaired cannot block SIGSEGV (--wrap=pthread_sigmask,
// sigprocmask), and kernel threads that begin with it blocked, as libraries start them, unblock it. A stack that grows
// overflows in a prologue, with an orderly message (migrate/grow.cpp); only its worker's deep stack has a guard zone,
// and running into that ends the program with status 70.
#ifndef SKEIN_THREAD_OVERFLOW_H
#define SKEIN_THREAD_OVERFLOW_H

#include <cstdint>

namespace skein {

/// Rooms above decide about a fault at `address`. Repaired: what was wrong has been put right, and the instruction runs
/// again. Explained: it has been reported, and the program dies of it.
extern bool (*fault_repair)(uintptr_t address);
extern bool (*fault_explain)(uintptr_t address, uintptr_t program_counter);

/// Installs the handler, unless that has been done.
void overflow_start();
/// Lets faults of this kernel thread come, if there are any to be repaired, though it was started with all blocked.
void overflow_unblock();
/// Gives this kernel thread an alternate signal stack, unless it has one, and takes it away again.
void overflow_worker_start();
void overflow_worker_stop();

} // namespace skein

#endif
