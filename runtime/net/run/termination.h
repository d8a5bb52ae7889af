// A run of several nodes must notice three things that no single node can see: that it is over (main has returned and
// no thread lives anywhere), that it is at rest (no thread runs or is ready anywhere), and that it stands (it is at
// rest and nothing can ever happen again). This file counts for all three.
//
// Each node counts the threads that live on it, wherever they were born; one in flight lives at its source until it is
// settled. And it counts the messages that it has sent and handled (link.h says which do not matter). The counts of
// messages only grow. Node 0 asks all nodes for their counts in rounds, one after the other (after Mattern's four
// counters, 1987).
//
// Messages: if the sum of *handled* of one round equals the sum of *sent* of the next, then at every moment between the
// two rounds no message was under way: handled(round k) <= handled then <= sent then <= sent(round k+1). And no message
// was handled in between, on any node.
//
// The end: the same holds, and no thread lived on any node in the first of the two rounds. Where none lives, only a
// message can create one or let one arrive, and none was handled until the second round. So nothing lives, and nothing
// is under way that could create a thread, such as a request, or a reply whose handler spawns one.
//
// docs/models/termination.pml is a model of that.
//
// Deaths (membership.h) and arrivals (newcomers.h): only messages between nodes that are there count. Nodes may learn
// of a change at different times, so each says what it knows (Traffic::view), and a round in which they differ decides
// nothing. A newcomer begins only when node 0 has admitted it, so what it does is either counted, or seen as a
// difference.
//
// Rest: each node also says whether no worker runs a thread and none is ready (workers_at_rest). A node at rest wakes
// up only by handling a message that counts. So if all nodes said so in both rounds, and no message was under way or
// handled in between, all were at rest at the same time, and stay at rest. Requests that wait for a credit need not be
// counted: while one waits, the message that will bring the credit is under way (active.h). A node with news in an
// outbox, or with accesses in a parcel that was not sent yet (dsm/parcels.h), is not at rest. Nor is one where threads
// of other nodes wait for a channel until some time (channels/deadlines.h), nor one with a raid under way (steals.h),
// since its waiter is woken by an answer that does not count, or when its time is up.
//
// Rounds for the end begin when main has returned, and again when a node reports that no thread lives there, or after a
// while (0.2 ms, doubling to 20 ms). Rounds for rest begin while a thread waits in skein_quiesce, which is a call to
// node 0. They wait until node 0 is at rest itself, and then until all nodes have reported rest that were not at rest
// in the round before, or for a while (0.05 to 20 ms). So nodes that work for long are hardly interrupted; rounds every
// 5 ms took 1 % of both cores.
//
// Standing: all nodes are at rest, threads live, no thread waits for the rest, and on no node there is a kernel thread
// of the program's own that could wake a thread. Then nothing will ever happen again. Node 0 looks for that with two
// rounds when it has been at rest for a second, later every minute. Each node then reports which threads wait there for
// what (`standing`). When all have, the run ends with status fatal_status, as a process of one node does
// (sched/deadlock.h).
//
// In a run of one node there are no rounds. The end is when main has ended and no thread lives; rest is when the last
// worker finds nothing to do.
//
// main goes back to node 0 before it returns, calls exit() or registers an exit handler or a destructor
// (`__skein_home`), because those use its variables. Where another thread does so, or main may not move, each process
// runs its own handlers.
//
// Rejected: a count of living threads at the birth node (the news of the last thread's end would travel twice); a token
// ring (slower with the number of nodes, and no simpler); counting requests as threads (the sender of each kind of
// message that can make a thread ready would have to count it).
#ifndef SKEIN_NET_RUN_TERMINATION_H
#define SKEIN_NET_RUN_TERMINATION_H

#include "base/event.h"

#include <cstdint>

namespace skein {

/// `finished(status)` is called on node 0, in the progress thread or a handler, when the run is over.
void termination_start(void (*finished)(int status));

/// Fired in a handler when the run stands: each room reports on standard error which threads wait in it, and for what.
extern Event<> standing;

/// Set by room dsm: whether this node has messages for which threads wait, which it has not sent yet, and which no
/// count shows. A worker that has nothing to run says that it is idle before it sends what its threads have left to be
/// sent.
extern bool (*messages_about_to_leave)();
/// Set by room channels: whether threads of other nodes wait here for no longer than some time.
extern bool (*deadlines_pending)();

/// To be called instead in a run of one node, where only skein_quiesce needs this file.
void termination_start_alone();

/// A node died: its threads do not wait for the run's rest any more, and the round begins anew. To be called after
/// link_forget.
void termination_fail(int peer);
/// A node has left: the round begins anew without it.
void termination_depart();

/// In the child of a fork, which is no node.
void termination_after_fork();

/// A worker has nothing to do. A round may have waited for that.
void termination_idle();

/// Called by the progress thread: begins a round if it is time. Returns nanoseconds until it is to be called again.
uint64_t termination_tick(uint64_t now);

} // namespace skein

#endif
