// Thread-local variables of libraries: they belong to the kernel thread, and a Skein thread that stores an address of
// its stack there finds another one's, or the old address, after a move. The C++ library does so in std::call_once, for
// as long as that runs.
//
// So before the running thread moves, these variables are searched for addresses of its stack, a few hundred bytes.
// What a thread left there that does not run now was found when it last might have moved: it has called no library
// since. The program's own thread-local variables are private (private/globals/globals.h) or lie here, too, if another
// compiler made them. Libraries that are loaded later are not searched.
#ifndef SKEIN_MIGRATE_THREAD_LOCALS_H
#define SKEIN_MIGRATE_THREAD_LOCALS_H

#include "migrate/refusal.h"
#include "thread/thread.h"

namespace skein {

/// Whether none holds an address of the thread's stack.
bool check_thread_locals(const Thread &thread, Refusal &why);
/// Whether one of this kernel thread holds an address in [begin, end).
bool thread_locals_hold(uintptr_t begin, uintptr_t end);

} // namespace skein

#endif
