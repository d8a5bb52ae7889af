// Limits on the number of live threads: of a bundle (skein_bundle_limit_set), and of the node, which is the limit of
// root (knob threads_max). A program that spawns faster than its threads end would otherwise run out of memory.
//
// A thread that spawns when the limit is reached waits until an eighth of the limit is free again, so that it blocks
// once for many spawns. A limit can be lower than what a program needs: all its threads may wait for something that
// only a new thread would do. So a limit holds only as long as other threads make progress: when no worker finds
// anything to do, the latest thread that waits may pass, above the limit. The latest, since in a tree of threads it is
// the deepest: what it spawns ends before anything above it can.
//
// A spawn is no migration point, so the code after it may use what belongs to its kernel thread. A thread that waits
// here is therefore bound to its worker meanwhile, and does not leave the node either.
//
// Counts are read without a lock, so a limit is exceeded by as many threads as there are workers that spawn at the same
// moment. Threads that arrive from other nodes are counted and never refused. A thread that ends makes room at once;
// one that leaves the node makes room when the next one ends. If a wake-up is missed in between, the next end or an
// idle worker makes up for it.
//
// Rejected: to run the child at once as a call of its parent (it would be no thread: its parent could not go on when it
// blocks, and neither could move alone); to let the spawn fail (each program would have to know what to do then).
#ifndef SKEIN_SCHED_LIMITS_H
#define SKEIN_SCHED_LIMITS_H

#include "sched/bundle.h"

namespace skein {

/// Some bundle has, or had, a limit, so each spawn has to check.
extern std::atomic<bool> limits_any;

/// Sets root's limit to the knob's value.
void limits_start();
void limits_after_fork();

/// A thread of `bundle` has ended.
void limits_ended(skein_bundle &bundle);

/// Whether any thread waits for room.
bool limits_waiting();
/// Called when nothing else can run: lets one thread that waits pass. False: none waits.
bool limits_pass();

} // namespace skein

#endif
