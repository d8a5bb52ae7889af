// Thread-local variables of libraries belong to the kernel thread. A Skein thread that stores an address of its stack
// there finds another thread's address, or its old one, after a move. The C++ library does so in std::call_once while
// that runs.
//
// So before the running thread moves, these variables, a few hundred bytes, are searched for addresses of its stack. A
// thread that does not run now needs no search: it was searched for when it last might have moved, and has called no
// library since. The program's own thread-local variables are private (private/globals/globals.h), or are searched here
// if another compiler made them. Libraries that are loaded later are not searched.
#ifndef SKEIN_MIGRATE_THREAD_LOCALS_H
#define SKEIN_MIGRATE_THREAD_LOCALS_H

#include "migrate/refusal.h"
#include "thread/thread.h"

namespace skein {

/// Whether no such variable holds an address of the thread's stack.
bool check_thread_locals(const Thread &thread, Refusal &why);
/// Whether some such variable of this kernel thread holds an address in [begin, end).
bool thread_locals_hold(uintptr_t begin, uintptr_t end);

} // namespace skein

#endif
