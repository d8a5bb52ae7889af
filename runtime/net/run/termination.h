// The end of a run: main has returned and no thread lives anywhere. And its rest: no thread runs or is ready anywhere.
//
// Every node counts the threads that live on it, wherever they were born (one in flight lives at its source until it is
// settled), and the messages that it sent and handled (link.h says which do not matter); those only grow. Node 0 asks
// everybody for them in rounds, one after the other. (After Mattern's four counters, 1987.)
//
// Messages: if the sum of *handled* of one round equals the sum of *sent* of the next, then at every moment between the
// two rounds no message was under way: handled(round k) <= handled then <= sent then <= sent(round k+1). Nor was one
// handled in between, on any node.
//
// The end: the same, and no thread lived on any node in the first of the two rounds. Where none lives, only a message
// can bring or make one, and none was handled until the second. With both, nothing lives and nothing is under way that
// could make something: a request, or its reply, whose handler spawns a thread.
//
// Deaths (membership.h): counted are messages between living nodes. Nodes may learn of a death at different times, so
// each says how many dead ones it knows; a round in which they differ says nothing. The launcher tells all of all
// deaths in one order, so whoever knows as many knows the same.
//
// Rest: each node also says whether no worker runs a thread and none is ready (workers_at_rest). A node at rest wakes
// up only by handling a message that counts. So if all said so in both rounds, and no message was under way or handled
// in between, all were at rest at the same time, and stay so. Requests that wait for a credit need no counting: while
// one does, a message is under way that will bring it (active.h). News in an outbox and accesses in a parcel that has
// not left (dsm/parcels.h) count as not at rest; so does a raid (steals.h), since whoever waits for it is woken by an
// answer that does not count, or when its time is up.
//
// Rounds begin when main has returned, and again when a node reports that nothing lives there, or after a while (0.2
// ms, doubling to 20 ms). And while a thread waits in skein_quiesce, which is a call to node 0: but not before node 0
// is at rest itself, and then when all have reported rest that were not in the round before, or after a while (0.05 to
// 20 ms). So nodes that work for long are hardly interrupted: rounds every 5 ms, whoever worked, took 1 % of both
// cores.
//
// Standing: all are at rest, threads live, nobody waits for the rest, main or not, and on no node is there a kernel
// thread of the program's own that could wake somebody. Then nothing will ever happen again. Node 0 looks for that when
// it has been at rest for a second, later every minute: two rounds. Each node then says who waits there for what
// (`standing`), and when all have, the run ends with status fatal_status, as a process of one node does
// (sched/deadlock.h).
//
// In a run of one node there are no rounds: the end is when main has ended and no thread lives, rest when the last
// worker finds nothing to do.
//
// main goes back to node 0 before it returns, calls exit() or registers an exit handler or a destructor
// (`__skein_home`), because those use its variables. Where another thread does so, or main may not move, each process
// runs its own handlers.
//
// Rejected: a count of living threads at the birth node (the end of the last thread then has to travel twice); a token
// ring (slower with the number of nodes, and no simpler); counting requests as threads (then every kind of message that
// can make one ready has to be counted by whoever sends it).
#ifndef SKEIN_NET_RUN_TERMINATION_H
#define SKEIN_NET_RUN_TERMINATION_H

#include "base/event.h"

#include <cstdint>

namespace skein {

/// `finished(status)` is called on node 0, in the progress thread or a handler, when the run is over.
void termination_start(void (*finished)(int status));

/// In a handler, when nothing will ever happen again: say on standard error who waits here for what.
extern Event<> standing;

/// Room dsm's: whether threads wait for messages of this node that are about to leave, and that no counter shows yet. A
/// worker that has nothing to run says that it rests before it sends what its threads have left to be sent.
extern bool (*messages_about_to_leave)();

/// In a run of one node, where only skein_quiesce is wanted.
void termination_start_alone();

/// A node died: who waits for the run's rest is told so. After link_forget.
void termination_fail(int peer);

/// In the child of a fork, which is no node.
void termination_after_fork();

/// A worker has nothing to do: perhaps that was what a round waited for.
void termination_idle();

/// Progress thread: the next round, if it is time. Returns nanoseconds until it wants to be called again.
uint64_t termination_tick(uint64_t now);

} // namespace skein

#endif
