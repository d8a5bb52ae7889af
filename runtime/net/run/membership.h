// Who belongs to the run, and what happens when somebody dies.
//
// Four ways to learn of a death: the launcher says so (it holds a pidfd of each node and is the first to know), the
// launcher itself is gone (its socket closes), a node has not been heard of for a while (heartbeats; also what tells of
// a node that hangs), or it has sent what cannot be (link_reject). The last two are told to the launcher, which kills
// the node, unless it is only late (launcher.h), and tells everybody, so that all agree.
//
// A death ends the run: threads were lost, and a program that went on without them would give wrong answers. Each
// survivor prints which node died and which of the threads born here were there, fails with SKEIN_EDEAD all that waited
// for the dead node, and ends with status 70.
//
// A program that knows what to do about lost threads can be run with deaths=survive: then the others go on, and all
// that counts messages or threads counts those of the living only (termination.h). Not without node 0, which begins the
// rounds of counting and leads changes of ranges, and not if main was lost. A node that dies before the run has begun
// is not waited for: nothing was there, and who has all others' hellos has all that is needed.
#ifndef SKEIN_NET_RUN_MEMBERSHIP_H
#define SKEIN_NET_RUN_MEMBERSHIP_H

#include "base/event.h"

#include <cstdint>

namespace skein {

/// A node has died: it is known to be dead, calls to it have not failed yet. From the progress thread, no handler runs.
extern Event<int> node_died;

void membership_start();

/// How many nodes have died, as far as this one knows, and the one that did as number `index` + 1. From any kernel
/// thread. Those who are told of a death know it counted.
int deaths_known();
int dead_node(int index);

/// The launcher says that a node died. From the progress thread.
void membership_died(int peer, const char *how);

/// It is known only now that main was on a node that has died: the run ends. In any context.
void membership_main_lost(int peer);

/// Progress thread: heartbeats. Returns nanoseconds until it wants to be called again.
uint64_t membership_tick(uint64_t now);

/// The run ends: nobody is suspected any more.
void membership_stop();

} // namespace skein

#endif
