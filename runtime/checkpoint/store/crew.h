// Kernel threads for a while, of which libc does not know.
//
// They share the thread-local memory of the caller. pthread_create would take memory from malloc and enter the thread
// in libc's lists, and both belong to what is written (checkpoint/store.h). So the work may call nothing that writes to
// thread-local memory, or waits for another thread: zstd with a workspace, memcpy, and system.h.
#ifndef SKEIN_CHECKPOINT_STORE_CREW_H
#define SKEIN_CHECKPOINT_STORE_CREW_H

#include "checkpoint/store/system.h"

namespace skein::store {

inline constexpr unsigned crew_max = 64;

/// Runs work(context, i) for each i below `threads` at the same time, 0 in the caller, and returns when all are done.
/// If the system gives fewer threads, those that there are must do: work(context, 0) is always run, and the work is
/// dealt at run time. Signals are blocked meanwhile.
void crew_run(unsigned threads, OwnMemory &memory, void (*work)(void *context, unsigned i), void *context);

} // namespace skein::store

#endif
