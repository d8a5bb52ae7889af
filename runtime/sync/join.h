// Waiting for the end of a thread.
//
// A waiter is on its node's list under the id it waits for, wherever that thread is. The end of a thread on this node
// wakes the waiters here. For a thread that is not here, room net takes part: `join_elsewhere(id)` is called once a
// waiter is on the list, and net owes it a `join_wake(id, …)`, at once or later. Waking twice, or for nobody, is
// harmless. A thread that leaves while `thread->joined` is set needs the same: net calls its own join_elsewhere after
// the departure.
#ifndef SKEIN_SYNC_JOIN_H
#define SKEIN_SYNC_JOIN_H

#include "sched/sched.h"

namespace skein {

/// Add the event handlers.
void join_start();

/// Wake everybody here who waits for `id`. skein_join returns `code`; `text` is the error text, null for none.
void join_wake(uint64_t id, int code, const char *text);

/// Take a thread out of skein_join, if it is in it. True: it is blocked in no list, and the caller's.
bool join_withdraw(Thread *thread);

/// Whether anybody here waits for `id`.
bool join_waits(uint64_t id);

/// Set by net. Null: a thread that is not here has ended, if this node ever created it.
extern void (*join_elsewhere)(uint64_t id);

} // namespace skein

#endif
