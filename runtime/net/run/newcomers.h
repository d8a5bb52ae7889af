// How a node comes to a run that has begun. The launcher tells those that are there where it is, and they connect (the
// picture in net/wire/bootstrap.h). From its hello on a newcomer is authenticated, and gets messages; but it is not
// alive (link_alive) before it is *admitted*, so nobody chooses it for anything. Node 0 admits it first. So a round
// that counts for the end of the run (termination.h) either has all that the newcomer does, or sees that the nodes
// differ.
//
// A run decides many things once and for all nodes: arrays and pages that exist, the policy in force, which events are
// recorded. A newcomer is *informed* of these by every node, which tells it what that node leads, before it begins.
// Changes that are made meanwhile are told to it as well: who leads them has them wait until it is informed.
//
// Rejected: to give a newcomer what it asks for when it needs it (each access to a page would have to know whether its
// table is complete); to stop the run while a node joins.
#ifndef SKEIN_NET_RUN_NEWCOMERS_H
#define SKEIN_NET_RUN_NEWCOMERS_H

#include "base/event.h"

#include <cstddef>

struct skein_transport_address;

namespace skein {

/// Fired in a handler: a newcomer has said hello. Room by room it is told what it has to know; `inform_of_ranges`
/// (below) comes last.
extern Event<int> node_met;
/// Fired in a handler: a newcomer is a node of the run like any other from here on.
extern Event<int> node_arrived;
/// Set by room dsm: tells a newcomer of the ranges that this node leads, and then calls `done`.
extern void (*inform_of_ranges)(int newcomer, void (*done)(int newcomer));

void newcomers_start();

// The launcher's packets, in the progress thread: where the newcomer is; that it belongs to the run; that it does not
// come.
void newcomer_announced(int peer, const skein_transport_address &address);
void newcomer_admitted(int peer);
void newcomer_withdrawn(int peer);

/// On a newcomer: whether that node has told it all that it has to know.
bool newcomer_informed_by(int peer);

} // namespace skein

#endif
