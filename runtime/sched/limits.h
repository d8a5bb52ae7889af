// Limits on live threads: of a bundle (skein_bundle_limit_set), and of the node, which is root's (knob threads_max).
//
// Who spawns where the limit is reached waits until an eighth of the limit is free again: so it is blocked once for so
// many spawns, and not for each. A limit can lie below what a program needs: when all its threads wait for something
// that only a new one would do. So a limit only holds as long as others get on: a worker that finds nothing to do,
// while no other has anything either, lets the latest one that waits pass, above the limit. The latest, since in a tree
// of threads it is the deepest: what it spawns ends before anything above it can.
//
// A spawn is no migration point, so code after it may use what belongs to its kernel thread. Whoever waits here is
// bound to its worker meanwhile, and leaves neither that nor the node.
//
// Counts are looked at without a lock, so a limit is exceeded by as many threads as workers spawn at the same moment.
// Threads that come from other nodes are counted, and never refused; those that end make room, and those that leave do
// so when the next one ends. A wake-up that is missed in between is made up for by the next end, or by who is idle.
//
// Rejected: the child runs at once as a call of its parent (it would not be a thread: its parent could not go on when
// it blocks, and neither could move alone); spawn fails (each program would have to know what to do then).
#ifndef SKEIN_SCHED_LIMITS_H
#define SKEIN_SCHED_LIMITS_H

#include "sched/bundle.h"

namespace skein {

/// Some bundle has, or had, a limit: spawns look.
extern std::atomic<bool> limits_any;

/// As the knob says.
void limits_start();
void limits_after_fork();

/// A thread of `bundle` has ended.
void limits_ended(skein_bundle &bundle);

/// Whether anybody waits for room.
bool limits_waiting();
/// Nothing else can run: let one that waits pass. False: nobody waits.
bool limits_pass();

} // namespace skein

#endif
