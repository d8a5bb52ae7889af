// Thread to data, or data to thread: what remote reads and moves cost here, and who reads where.
//
// Measured all the time, as running means: the round trip of a small read (`read_ns`), what a byte of a large one adds,
// and what a node spends to restore a thread that arrives. A move is then one way of a round trip, the bytes of the
// stack, and the work at both ends; it pays if the reads that it saves cost more (thesis, section 8.4: the break-even
// of moving and fetching).
//
// Each thread counts its accesses by message, by node, since it came to this node; the four nodes it asks most have a
// counter each, and one that is new takes the place of the smallest, so the counts are too large rather than too small
// (Metwally, space saving). An access by message costs microseconds, so none is left out.
//
// *By itself* (skein_policy_follow) a thread goes where most of its latest accesses went, as soon as they have cost as
// much as the move: then fetching and moving cost at most twice what who knew the future would have paid (the skier who
// rents until he has paid for the skis). "Most" is a vote (Boyer and Moore): an access to the node in question counts
// for it, one to any other node against it. What a thread reads on its own node counts nowhere, since it is a plain
// load; so a thread whose data are at home, with now and then an access elsewhere, would go there, regret it, and come
// back. Each time it does, it takes twice as many accesses until it leaves there again, up to 2^`patience_most` times;
// a move from elsewhere to a third node forgets that. The thread leaves when the answer to its access arrives, instead
// of becoming ready.
//
// Rejected: to move instead of the access that tips the scale (it would have to be made again over there); counting
// what is read near (a counter in every access).
#ifndef SKEIN_DSM_FOLLOW_H
#define SKEIN_DSM_FOLLOW_H

#include "thread/thread.h"

#include <atomic>

namespace skein {

/// The thread, blocked, asks a node for something.
void follow_count(Thread *thread, int owner);
/// A read of so many bytes by message took so long.
void follow_read_took(uint64_t bytes, uint64_t ns);
/// Whether threads leave by themselves (skein_policy_follow).
extern std::atomic<bool> follow_by_itself;
bool follow_leaves_now(Thread *thread, uint64_t result);
/// What the thread asked for is there. True: it is better off elsewhere, and leaves with this result. In a handler,
/// with the thread blocked and out of all lists, or on the worker that serves its call.
inline bool follow_leaves(Thread *thread, uint64_t result) {
  return follow_by_itself.load(std::memory_order_relaxed) && follow_leaves_now(thread, result);
}
/// thread_wake, unless it leaves.
void follow_wake(Thread *thread, uint64_t result);

} // namespace skein

#endif
