// What the survivors of a death ask for: which nodes are dead, and a value on which all living nodes agree
// (<skein/deaths.h>).
//
// Node 0 decides. A run does not survive node 0, so what it has decided holds. Each node gives its value. When all
// living nodes have, node 0 sends them the outcome, and how many deaths it knows of. A node that gets the outcome
// before it has heard of so many deaths lets its thread wait for these: the launcher has told node 0 of them, so it
// tells everybody.
//
// Rejected: agreement without a leader, as ULFM needs it. Nothing of a run is left without node 0 anyway.
#ifndef SKEIN_NET_RUN_AGREEMENT_H
#define SKEIN_NET_RUN_AGREEMENT_H

namespace skein {

void agreement_start();

/// At node 0: a node is about to leave, and its value may not be waited for any more. agreement_fail when it has left.
void agreement_look();

/// A node died, or has left: its value is not waited for any more. Called after membership has counted the death.
void agreement_fail(int peer);

} // namespace skein

#endif
