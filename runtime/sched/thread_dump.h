// A program that hangs cannot be asked what it does. So SIGQUIT (Ctrl-\, or `kill -QUIT`, which `skein run` passes on
// to all nodes) makes each process log what every one of its threads does just now. A deadlock is reported the same
// way.
//
// The process ends by SIGQUIT as it would without us, so that its parent sees what it expects. A program that handles
// or ignores the signal itself is left alone. What is logged is the state of a *snapshot*: the handler may have
// interrupted anything, with any lock held, while other kernel threads go on. So it clones the process, without a
// signal to the parent, and the clone reads its own memory without a lock, since no other thread runs in it. A table
// that was just being changed may lead the clone astray; then the clone dies alone, and that is logged.
//
// Rejected: to print and go on (a program that means to be ended by the signal would not be); a kernel thread that
// waits for the signal (every program would have one more); stopping the other kernel threads by signals (one that is
// stuck in the kernel would keep the report from those who ask why it is).
#ifndef SKEIN_SCHED_THREAD_DUMP_H
#define SKEIN_SCHED_THREAD_DUMP_H

#include <cstddef>

namespace skein {

struct Thread;

/// Set by room sync: writes, say, "the mutex `m`, which …" for a thread that waits for something that can be described.
extern bool (*wait_describe)(const Thread &thread, char *to, size_t bytes);

/// Logs what a thread that is blocked or created waits for, and where.
void log_wait(const Thread &thread);

/// From here on SIGQUIT logs what all threads do, unless the program has asked for something else.
void thread_dump_start();

} // namespace skein

#endif
