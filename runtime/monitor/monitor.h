// The monitor of this node: it tells other programs of the user what the node is doing, and takes a few requests from
// them: `skein top` and `skein web`, or any program that opens the socket. docs/monitoring.md has the protocol.
//
// Invariants
//  * Nothing is kept for the monitor but a number and 40 bytes for each move of a thread. All else it reads when it is
//    asked: `figures` from counters that there are anyway, without a lock; `threads` under the locks of the thread
//    table, one after the other.
//  * It never waits for the run, and the run never waits for it: it has a kernel thread of its own, which sleeps until
//    somebody connects or asks. A client that does not read its answers is hung up on.
//  * Only processes of the same user, or of root, are answered.
//
// Rejected: a table in a file that others map (every counter would have to live there, whether anybody looks or not);
// messages of net (whoever looks is no node, and wants to see also a node whose progress thread is stuck).
#ifndef SKEIN_MONITOR_MONITOR_H
#define SKEIN_MONITOR_MONITOR_H

namespace skein {

/// Opens the socket, if the knob monitor_in asks for one; called when the rooms below have started. What prevents it is
/// logged, and the run goes on without.
void monitor_start();

} // namespace skein

#endif
