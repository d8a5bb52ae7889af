// What survivors ask for: who is dead, and what all that live agree on (<skein/deaths.h>).
//
// Node 0 decides: a run does not survive it, so whatever it has decided holds. Each node gives its value; when all that
// live have, node 0 tells them the outcome and how many deaths it knows. A node that hears of an outcome before it has
// heard of so many deaths lets its thread wait for these: the launcher has told node 0, so it tells everybody.
//
// Rejected: agreement without a leader, as ULFM needs it: nothing of a run is left without node 0 anyway.
#ifndef SKEIN_NET_RUN_AGREEMENT_H
#define SKEIN_NET_RUN_AGREEMENT_H

namespace skein {

void agreement_start();

/// A node died: it is not waited for. After membership has counted it.
void agreement_fail(int peer);

} // namespace skein

#endif
