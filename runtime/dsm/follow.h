// A thread whose data are on another node can fetch them, or move there. This file measures what each costs, counts
// which thread reads where, and decides.
//
// The costs are running means, measured all the time: the round trip of a small read (`read_ns`), what a byte of a
// large read adds, and what a node spends to restore a thread that arrives. A move costs one way of a round trip, the
// bytes of the stack, and the work at both ends. It pays if the reads that it saves cost more (TR-97-038, section 8.4:
// the break-even of moving and fetching).
//
// Each thread counts its accesses by message for each node, since it came to this node. It has four counters, for the
// nodes that it asks most. A node without a counter takes over the smallest, so counts are too large rather than too
// small (Metwally, space saving). An access by message costs microseconds, so counting each of them costs little.
//
// With skein_policy_follow a thread moves *by itself* to the node of most of its latest accesses, as soon as these have
// cost as much as the move. Then fetching and moving together cost at most twice what a decision that knew the future
// would have cost, as for a skier who rents until the rent has reached the price of the skis. "Most" is found by a vote
// (Boyer and Moore): an access to the node in question counts for it, one to any other node counts against it.
//
// What a thread reads on its own node is not counted, since it is a plain load. So a thread whose data are at home, and
// which accesses another node now and then, would move there, find its data remote, and come back. Each time that
// happens the thread needs twice as many accesses until it leaves home again, up to 2^`patience_most` times as many. A
// move from another node to a third one resets that.
//
// A thread moves when the answer to its access arrives, instead of becoming ready.
//
// Rejected: moving instead of making the access that decides (the access would have to be made again over there);
// counting reads of mapped memory (a counter in every access).
#ifndef SKEIN_DSM_FOLLOW_H
#define SKEIN_DSM_FOLLOW_H

#include "thread/thread.h"

#include <atomic>

namespace skein {

/// Counts an access by message of a thread that is blocked for it.
void follow_count(Thread *thread, uint64_t address);
/// Measures: a read of so many bytes by message took so long.
void follow_read_took(uint64_t bytes, uint64_t ns);
/// Whether threads move by themselves (skein_policy_follow).
extern std::atomic<bool> follow_by_itself;
bool follow_leaves_now(Thread *thread, uint64_t result);
/// The answer to an access of the thread has come. True: the thread moves to its data, and its call returns `result`
/// there. Called in a handler, with the thread blocked and in no list, or on the worker that serves its call.
inline bool follow_leaves(Thread *thread, uint64_t result) {
  return follow_by_itself.load(std::memory_order_relaxed) && follow_leaves_now(thread, result);
}
/// Wakes the thread, unless it moves to its data.
void follow_wake(Thread *thread, uint64_t result);

} // namespace skein

#endif
