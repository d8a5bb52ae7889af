// Waiting for the end of a thread.
//
// Whoever waits for a thread that is on this node is in a ring that hangs on the thread's record; whoever waits for one
// that is not is in a ring that hangs on its id, in a hash table. So waiting, waking and giving up cost the same
// however many threads wait for others. Both rings are under the lock that the table of threads has for that id, so a
// thread is here or not, with all who wait for it, at any moment that anybody sees:
//
//     skein_join      here: onto its ring            not here: onto its id's, then net is asked (join_elsewhere)
//     it leaves       its ring becomes its id's, and it is out of the table, in one
//     it arrives      it is in the table; from the next look on its id's ring is its own
//     it ends         it is out of the table; nobody else can find its ring any more, and it wakes them without a lock
//
// For a thread that is not here, room net takes part: `join_elsewhere(id)` is called once a waiter is in the ring, and
// net owes it a `join_wake(id, …)`, at once or later. Waking twice, or for nobody, is harmless. A thread that leaves
// while `thread->join.awaited` is set needs the same: net calls its own join_elsewhere after the departure.
//
// What a thread's function returned goes to all who wait for it when it ends, in their records. If nobody does, its
// birth node *keeps* it until somebody comes, or it is detached. It is kept under the table's lock at the moment when
// the thread is taken out of the table; so whoever comes too late to be in its ring finds the result kept. Nothing is
// kept of a thread whose function returns nothing, and nothing more than the result of any other.
//
// Rejected: one list for many ids (until here: 256 buckets; each wake-up walked past all who waited for others); to
// keep the records of threads that have ended, as pthreads and Argobots do, with the results in them (700 bytes instead
// of 24 for each thread that nobody joins).
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

// For quick ways (straight.cpp), under the lock of the id that is waited for.
/// `self` waits for `thread`; and does not, after all.
void join_wait_quickly(Thread *self, Thread *thread);
void join_wait_not(Thread *self, Thread *thread);
/// There is no thread of that id here. True: it has ended, and what it returned, if anything, is given to `self`.
bool join_over_quickly(Thread *self, uint64_t id);
/// `thread` is over, and about to be taken out of the table. Whether one at most waits for it, `waiter`, or its result
/// can be kept without memory for another one.
bool join_ends_quickly(Thread *thread, Thread *&waiter);
/// Then the waiter is in no ring, and gets its result; or that is kept for who comes later.
void join_ended_quickly(Thread *thread, const Result &returned, Thread *waiter);

/// `thread` leaves this node: it is out of the table, and whoever waits for it here waits for its id. Returns whether
/// anybody ever did.
bool join_departs(Thread *thread);

/// Take the thread of that id, which this record was, out of skein_join, if it is in it and to be cancelled. True: it
/// is blocked in no ring, and the caller's.
bool join_withdraw(Thread *thread, uint64_t id);

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
