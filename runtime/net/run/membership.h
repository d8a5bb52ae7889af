// Which nodes belong to the run, and what happens when one of them dies.
//
// There are four ways to learn of a death. The launcher holds a pidfd of each node, so it is the first to know, and
// says so. If the launcher itself is gone, its socket closes. A node may not have been heard of for a while; heartbeats
// show that, also for a node that hangs. Or a node may have sent something impossible (link_reject). The last two are
// reported to the launcher, which kills the node, unless it is only late (launcher.h), and tells all others, so that
// all agree.
//
// A death ends the run: threads were lost, and a program that went on without them would give wrong answers. Each
// survivor prints which node died and which of the threads born here were on it, fails with SKEIN_EDEAD all that waited
// for the dead node, and ends with status 70.
//
// A program that can handle lost threads may be run with deaths=survive. Then the others go on, and all counts of
// messages and threads are those of the living nodes only (termination.h). A run does not survive node 0, which begins
// the rounds of counting and leads changes of ranges, nor the loss of main. A node that dies before the run has begun
// is not waited for: no thread was there, and a node that has the hellos of all others has all that it needs.
#ifndef SKEIN_NET_RUN_MEMBERSHIP_H
#define SKEIN_NET_RUN_MEMBERSHIP_H

#include "base/event.h"

#include <cstdint>

namespace skein {

/// Fired when a node has died and is known to be dead, before calls to it fail. It is fired in the progress thread,
/// while no handler runs.
extern Event<int> node_died;

void membership_start();

/// How many nodes have died, as far as this one knows, and which one was number `index` + 1 to die. Any kernel thread
/// may ask. A death is counted before node_died is fired.
int deaths_known();
int dead_node(int index);

/// The launcher says that a node died. Called by the progress thread.
void membership_died(int peer, const char *how);

/// It turns out only now that main was on a node that has died, so the run ends. May be called in any context.
void membership_main_lost(int peer);

/// Called by the progress thread: sends and checks heartbeats. Returns nanoseconds until it is to be called again.
uint64_t membership_tick(uint64_t now);

/// The node was silent for a while, and so were the others: gives all of them new time. `reborn`: over connections that
/// are new.
void membership_renew(bool reborn);

/// The run ends: no node is suspected any more.
void membership_stop();

} // namespace skein

#endif
