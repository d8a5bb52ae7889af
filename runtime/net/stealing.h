// Who asks whom for work, and when.
//
// An idle node asks one other node at a time, chosen at random, and goes on to the next when that one has nothing.
// After a round without success it waits: twice as long each time, from 1 to 64 ms, so that an idle run costs nothing.
// A node that had to say "nothing" remembers who asked, and says "now I have" when a thread is created: so work that
// appears after a long quiet spreads at once, and the waiting times only matter when that hint was lost in time.
//
// Invariants
//  * At most one automatic request of a node is under way, so answers never flood it.
//  * A request is answered in a handler, by whoever drives, also while all workers compute.
//
// Rejected: each idle worker asks by itself (the first answer feeds all of them, since it brings half of what the
// victim has); lifelines in a hypercube (nodes of one run are few, and everyone may ask everyone).
#ifndef SKEIN_NET_STEALING_H
#define SKEIN_NET_STEALING_H

#include "net/link.h"

namespace skein {

void stealing_start();

/// A worker has nothing to do; asks if it is time to. On the worker.
void stealing_when_idle();

/// `threads` answered a request: so many were accepted, so many refused here.
void stealing_answered(uint64_t request, int from, uint32_t accepted, uint32_t refused);

/// Progress thread: retry, and hints that are due. Returns nanoseconds until it wants to be called again, UINT64_MAX
/// for never.
uint64_t stealing_tick(uint64_t now);

/// A random number for choosing; any kernel thread.
uint32_t stealing_random();

} // namespace skein

#endif
