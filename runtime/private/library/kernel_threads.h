// Kernel threads that the program starts itself: by pthread_create, std::thread, or in a library.
//
// Such a thread has a *host*: the Skein thread that started it, or the host of the kernel thread that did. As between
// the threads of any process, what is the host's is theirs in common:
//
//     private variables   gs as the host's; or, if there are thread-local ones, of which each kernel thread has its
//                         own, a view of the host's (views.h)
//     private heap        only the host allocates from it; what another one frees waits until the host takes it back
//                         (heap.cpp). Kernel threads allocate from libc.
//     stack               the host's may be known to them, however they learned of it.
//
// So a host does not move as long as one of them runs, not even within its process. If it ends before them, what it
// owned stays until the process ends.
//
// How they are noticed: --wrap=pthread_create for the program's code, a definition of pthread_create in the program for
// its libraries' (interpose/pthread_create.cpp). Those that libc starts for itself (timers) come by neither; they
// inherit gs, and their accesses go unnoticed. The runtime's own threads have no host: those are started from a
// worker's own stack, from each other, or before the program begins.
//
// Rejected: giving the host its own copy of everything when the first one starts (an address of a variable would mean
// two places).
#ifndef SKEIN_PRIVATE_LIBRARY_KERNEL_THREADS_H
#define SKEIN_PRIVATE_LIBRARY_KERNEL_THREADS_H

#include "private/regions/extents.h"

namespace skein {

/// The host of the kernel thread of the program's own that calls this; null: it has none, or is something else.
Private *kernel_thread_host();
/// Whether a kernel thread that the Skein thread started still runs. If none does, nothing of the thread's is shared.
bool kernel_threads_live(const Thread &thread);
/// Whether the program, or a library, ever started one that can be known of.
bool kernel_threads_ever();
/// The program's constructors have run.
void kernel_threads_start();
/// In the child of a fork, whose only thread is this one.
void kernel_threads_after_fork(Thread &self);

} // namespace skein

#endif
