// A thread may end before its function returns: by itself at any depth (skein_exit), or because another thread says so
// (skein_cancel).
//
// Both unwind the stack from where the thread is, as an exception would: destructors run, and in C what
// __attribute__((cleanup)) names, if the unit was compiled with -fexceptions. Then the thread ends as if its function
// had returned. A program that has no unwinder (C without -fexceptions does not link it) has nothing to unwind.
//
// A cancel is a mark in the thread. It takes effect at the thread's next *point*: where it blocks in a call of this
// room or in skein_join, and in skein_yield; where nothing is to be unwound, at polls, too. A thread that holds a lock
// goes on to the first point after its last unlock: what the lock guards may be half done, and a lock without a holder
// would be held for ever. A thread that waits for a condition gets its mutex back first, since destructors unlock it.
//
//     skein_cancel                             the thread, about to block
//     end.cancelled = true                     wait.object = object, into the ring
//     fence                                    fence
//     is it in a ring? take it out             cancelled? then ask for it to be taken out of the ring again
//
// The fences are partners: one of the two sees the other.
//
// A marked thread does not leave its node (migrate/image_write.cpp). If it is about to, the fence decides again: the
// mover makes it in_flight before it looks for the mark, so either it sees the mark, or the canceller finds the thread
// in_flight or gone, and its birth node sends the cancel after it (net/moves/births.h).
//
// At a point the thread is *diverted*: the call it made does not return; skein_cancelled is entered as if that had been
// called in its place. So there is nothing that the program must check, or could forget to.
//
// Rejected: an error code from each blocking call (nobody would look at it).
#ifndef SKEIN_SYNC_ENDING_H
#define SKEIN_SYNC_ENDING_H

#include "sched/sched.h"
#include "sync/hold_reports.h"

namespace skein {

/// Part of join_start.
void ending_start();

/// Whether the thread's cancel is to take effect now.
inline bool cancel_due(const Thread &thread) {
  return __builtin_expect(thread.end.cancelled.load(std::memory_order_relaxed), 0) && !thread.end.begun &&
         !holds_any(thread);
}

/// Of a suspended thread that the caller owns: when it goes on, it ends.
void cancel_divert(Thread *thread);
/// Takes a marked thread out of what it waits for, if that is possible, and lets it end. Called without a lock.
void cancel_blocked(uint64_t id);

/// Marks a thread of this node, whatever it does. False: it is not here, or may be departing; then it is marked all the
/// same, in case it stays. Called in any context, without a lock.
bool cancel_mark(uint64_t id);

/// Set by net: cancels a thread that is not on this node, or may be departing. Null: such a thread has ended.
extern void (*cancel_elsewhere)(uint64_t id);

} // namespace skein

#endif
