// Kernel threads of the runtime's own, which run no Skein threads: for progress, time slices, recording.
#ifndef SKEIN_OS_LINUX_OWN_THREAD_H
#define SKEIN_OS_LINUX_OWN_THREAD_H

#include <pthread.h>

namespace skein {

/// Starts one in which all signals are blocked: those for the process go to kernel threads of the program. Returns an
/// errno value.
int own_thread_start(pthread_t &thread, void *(*function)(void *), void *argument = nullptr);
/// How many of them run.
unsigned own_threads_running();
/// In a process where none of them exists: in the child of a fork, or in one that is made of a copy.
void own_threads_forget();

} // namespace skein

#endif
