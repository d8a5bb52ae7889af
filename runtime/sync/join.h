// Waiting for the end of a thread.
//
// A waiter is on its node's list under the id it waits for, wherever that thread is. The end of a thread on this node
// wakes the waiters here. For a thread that is not here, room net takes part: `join_elsewhere(id)` is called once a
// waiter is on the list, and net owes it a `join_wake(id, …)`, at once or later. Waking twice, or for nobody, is
// harmless. A thread that leaves while `thread->joined` is set needs the same: net calls its own join_elsewhere after
// the departure.
//
// What a thread's function returned goes to all who wait for it when it ends, in their records. If nobody does, its
// birth node *keeps* it until somebody comes, or it is detached. Keeping comes before the thread is gone:
//
//     the end                                  a waiter                              skein_detach
//     keep, unless detached (table's lock)     onto the list                         detached = true (table's lock)
//     out of the table                         gone? then take what is kept,         forget what is kept
//     wake all on the list with the result,      and wake all on the list with it
//       and forget what is kept if there are any
//
// So a waiter that comes too late for the end's look at the list finds the result kept. Nothing is kept of a thread
// whose function returns nothing, and nothing more than the result of any other.
#ifndef SKEIN_SYNC_JOIN_H
#define SKEIN_SYNC_JOIN_H

#include "sched/sched.h"

namespace skein {

/// Add the event handlers.
void join_start();

/// Wake everybody here who waits for `id`. skein_join returns `code`; `text` is the error text, null for none. They get
/// `result`, or else what is kept of the thread, which is forgotten then. Returns whether anybody waited.
bool join_wake(uint64_t id, int code, const char *text, const Result *result = nullptr);

/// At the thread's birth node: keep its result; and take it, forgetting it. `kind` is none if nothing is kept.
void join_keep(uint64_t id, const Result &result);
Result join_take(uint64_t id);

// For quick ways (straight.cpp), inside of alone_enter.
/// `self` waits for `thread`.
void join_wait_alone(Thread *self, Thread *thread);
/// Who waits for `thread`, if there is one and nobody else waits in the list that he is on; else null.
Thread *join_waiter_alone(const Thread *thread);
/// He does no longer: he is in no list, and goes on with the result of `thread`.
void join_given_alone(Thread *waiter, const Thread *thread);

/// Take a thread out of skein_join, if it is in it. True: it is blocked in no list, and the caller's.
bool join_withdraw(Thread *thread);

/// Whether anybody here waits for `id`.
bool join_waits(uint64_t id);

/// At the birth node of `id`: if the thread is here, it is detached from now on. False: it is not here.
bool join_detach_here(uint64_t id);

/// Set by net. Null: a thread that is not here has ended, if this node ever created it.
extern void (*join_elsewhere)(uint64_t id);
/// Set by net: a thread is detached, wherever it was born or is. Null: join_detach_here does.
extern void (*detach_elsewhere)(uint64_t id);

} // namespace skein

#endif
