// Waiting for the end of a thread, which may leave this node, arrive, or end while others wait for it.
//
// Threads that wait for one that is on this node are in a ring that hangs on its record; those that wait for one that
// is not are in a ring that hangs on its id, in a hash table. So waiting, waking and giving up cost the same however
// many threads wait for others. Both rings are under the lock that the table of threads has for that id, so nobody ever
// sees a thread on this node and its waiters elsewhere:
//
//     skein_join      here: onto its ring            not here: onto its id's, then net is asked (join_elsewhere)
//     it departs      under one lock its ring becomes its id's, and it is taken out of the table
//     it arrives      under one lock it is put into the table, and its id's ring becomes its own
//     it ends         it is taken out of the table; nobody else finds its ring any more, and it wakes them without a
//     lock
//
// For a thread that is not here, room net takes part: `join_elsewhere(id)` is called once a waiter is in the ring, and
// net owes it a `join_wake(id, …)`, at once or later. Waking twice, or for nobody, is harmless. A thread that departs
// while `thread->join.awaited` is set needs the same: net calls its own join_elsewhere after the departure.
//
// What a thread's function returned is written into the records of all that wait for it when it ends. If nobody does,
// its birth node *keeps* it until somebody comes, or it is detached. It is kept under the table's lock at the moment
// when the thread is taken out of the table; so a thread that comes too late to be in the ring finds the result kept.
// Nothing is kept of a thread whose function returns nothing, and nothing but the result of any other.
//
// Rejected: one list for many ids, because each wake-up walked past all that waited for others; to keep the records of
// threads that have ended, as pthreads and Argobots do, with the results in them (700 bytes instead of 24 for each
// thread that nobody joins).
#ifndef SKEIN_SYNC_JOIN_H
#define SKEIN_SYNC_JOIN_H

#include "sched/sched.h"

namespace skein {

/// Add the event handlers.
void join_start();

/// Wakes all threads here that wait for `id`. Their skein_join returns `code`; `text` is the error text, null for none.
/// They get `result`, or else what is kept of the thread, which is forgotten then. Returns whether any waited.
bool join_wake(uint64_t id, int code, const char *text, const Result *result = nullptr);

/// At the thread's birth node: join_keep keeps its result, join_take takes and forgets it. Its `kind` is none if
/// nothing is kept.
void join_keep(uint64_t id, const Result &result);
Result join_take(uint64_t id);
/// Calls function(id, result) for all that are kept here. No thread may run here, or arrive.
void join_each_kept(void (*function)(uint64_t id, const Result &result));

// For quick ways (straight.cpp), under the lock of the id that is waited for.
/// Whether another worker has run the thread last. There its end may let the one that waits for it go on, whose id will
/// be looked for there at its own end; so who owns the lock of that id shares it.
/// The worker that runs it may change what is read here; then either answer will do.
[[clang::no_sanitize("thread")]] inline bool join_runs_elsewhere(const Thread &thread, const Worker &worker) {
  const volatile uint32_t &slot = thread.stack.slot, &ran_last = thread.worker;
  return slot != no_slot && ran_last != worker.index;
}
/// `self` waits for `thread`; join_wait_not undoes that.
void join_wait_quickly(Thread *self, Thread *thread);
void join_wait_not(Thread *self, Thread *thread);
/// There is no thread of that id here. True: it has ended, and what it returned, if anything, is given to `self`.
bool join_over_quickly(Thread *self, uint64_t id);
/// `thread` is over, and about to be taken out of the table. True if only `waiter` waits for it; or if nobody does, and
/// its result can be kept without allocating memory.
bool join_ends_quickly(Thread *thread, Thread *&waiter);
/// After that: takes the waiter out of the ring and gives it the result, or else keeps the result.
void join_ended_quickly(Thread *thread, const Result &returned, Thread *waiter);

/// `thread` departs from this node: takes it out of the table, and lets those that wait for it here wait for its id.
/// Returns whether any thread here ever waited for it.
bool join_departs(Thread *thread);

/// `thread` has arrived, and was put into the table just now, under its lock: threads that wait for its id now wait for
/// it.
void join_arrives(Thread *thread);

//     it departs      under one lock its ring becomes its id's, and it is taken out of the table
//     it arrives      under one lock it is put into the table, and its id's ring becomes its own
//     it ends         it is taken out of the table; nobody else finds its ring any more, and it wakes them without a
//     lock
bool join_withdraw(Thread *thread, uint64_t id);

/// Whether any thread here waits for `id`.
bool join_waits(uint64_t id);

/// At the birth node of `id`: detaches the thread if it is here. False: it is not here.
bool join_detach_here(uint64_t id);

/// Set by net. Null: a thread that is not here has ended, if this node ever created it.
extern void (*join_elsewhere)(uint64_t id);
/// Set by net: detaches a thread wherever it was born or is. Null: join_detach_here does.
extern void (*detach_elsewhere)(uint64_t id);

} // namespace skein

#endif
