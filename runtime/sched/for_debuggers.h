// Threads, for debuggers (abi/debugger.h).
#ifndef SKEIN_SCHED_FOR_DEBUGGERS_H
#define SKEIN_SCHED_FOR_DEBUGGERS_H

namespace skein {

/// From here on a debugger finds the threads of this process.
void debugger_start();

} // namespace skein

#endif
