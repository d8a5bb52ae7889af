// Threads, for debuggers (abi/debugger.h).
#ifndef SKEIN_SCHED_FOR_DEBUGGERS_H
#define SKEIN_SCHED_FOR_DEBUGGERS_H

#include <cstddef>

namespace skein {

/// From here on a debugger finds the threads of this process.
void debugger_start();

/// The table of threads that are away, as abi/debugger.h has it.
void debugger_shows_away(const void *entries, const size_t *mask, size_t entry_bytes, size_t node);

} // namespace skein

#endif
