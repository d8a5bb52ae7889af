// What every thread of a process does just now, for reports: of a deadlock, and of whoever asks by SIGQUIT (Ctrl-\,
// `kill -QUIT`, which `skein run` passes on to all nodes), since a program that hangs cannot be asked otherwise.
//
// The process ends by SIGQUIT as it would without us, so that what waits for it sees what it expects; a program that
// handles or ignores the signal itself is left alone. What is told is the state of a *snapshot*: the handler may have
// interrupted anything, with any lock held, while others go on; so it clones the process, without a signal to the
// parent, and the clone reads its own memory, in which nobody else runs, without a lock. A table that was just being
// changed may lead it astray; then the clone dies alone, and that is said.
//
// Rejected: to print and go on (a program that means to be ended by the signal would not be); a kernel thread that
// waits for the signal (every program would have one more); stopping the other kernel threads by signals (one that is
// stuck in the kernel would keep the report from those who ask why it is).
#ifndef SKEIN_SCHED_THREAD_DUMP_H
#define SKEIN_SCHED_THREAD_DUMP_H

#include <cstddef>

namespace skein {

struct Thread;

/// Set by room sync: writes "the mutex `m`, which …" for a thread that waits for something that can be described.
extern bool (*wait_describe)(const Thread &thread, char *to, size_t bytes);

/// Logs what a thread that is blocked or created waits for, and where.
void log_wait(const Thread &thread);

/// From here on SIGQUIT tells, if the program has not asked for something else.
void thread_dump_start();

} // namespace skein

#endif
