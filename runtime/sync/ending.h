// Ends of threads from the inside at any depth (skein_exit) and from the outside (skein_cancel).
//
// Both unwind the stack from where the thread is, as an exception would: destructors run, and in C what
// __attribute__((cleanup)) names, if the unit was compiled with -fexceptions. Then the thread ends as if its function
// had returned. A program that has no unwinder (C without -fexceptions does not link it) has nothing to unwind.
//
// A cancel is a mark in the thread. It takes effect at the thread's next *point*: where it blocks in a call of this
// room or in skein_join, and in skein_yield; where nothing is to be unwound, at polls, too. Not while it holds a lock:
// what the lock guards may be half done, and a lock without a holder is held for ever; so a holder's cancel waits for
// the first point after the last unlock. Who waits for a condition gets its mutex back first, since destructors will
// unlock it.
//
//     skein_cancel                             the thread, about to block
//     end.cancelled = true                     wait.object = object, into the ring
//     fence                                    fence
//     waits it in a ring? take it out          cancelled? then ask for it to be taken out of the ring again
//
// The fences are partners: one of the two sees the other.
//
// A thread that is marked does not leave its node (migrate/image_write.cpp). If it is about to, the fence decides
// again: the mover makes it in_flight before it looks for the mark, so either the mark is seen, or the canceller finds
// it in_flight or gone, and its birth node sends the cancel after it (net/moves/births.h).
//
// At a point the thread is *diverted*: the call it made does not return; instead skein_cancelled is entered, as if that
// had been called in its place. So there is nothing for the program to check, and nothing to forget.
//
// Rejected: an error code from each blocking call (nobody would look at it).
#ifndef SKEIN_SYNC_ENDING_H
#define SKEIN_SYNC_ENDING_H

#include "sched/sched.h"
#include "sync/holds.h"

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
/// Take a thread that is marked out of what it waits in, if that can be, and let it end. No lock held.
void cancel_blocked(uint64_t id);

/// Mark a thread of this node, whatever it does. False: it is not here, or may be leaving; then it is marked all the
/// same, in case it stays. In any context, no lock held.
bool cancel_mark(uint64_t id);

/// Set by net: cancel a thread that is not on this node, or may be leaving. Null: then it has ended.
extern void (*cancel_elsewhere)(uint64_t id);

} // namespace skein

#endif
