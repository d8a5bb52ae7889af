/* Which nodes a run has: for programs whose runs grow (`skein run --max-nodes`, `skein node add`; docs/language.md,
 * "Nodes that come later").
 *
 *     int known = skein_nodes();
 *     for (;; work()) {
 *       for (; known < skein_nodes(); known++)
 *         spread_to(known);               // a node has come: give it its part
 *     }
 *
 * Threads spread to new nodes by themselves, by the balancing policy. A program needs this only if it places threads or
 * data on certain nodes. None of the functions blocks.
 *
 * (After DMI's nodes that join a computation: seed 5, section 3.) */
#ifndef SKEIN_NODES_H
#define SKEIN_NODES_H

#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many nodes the run had at its start. The number stays the same, so it is what something can be divided by that
 * all nodes have to find again, such as a hash. */
SKEIN_NOMIGRATE int skein_nodes_at_start(void);

/* How many nodes there can ever be: --max-nodes, or as many as at the start. */
SKEIN_NOMIGRATE int skein_nodes_most(void);

/* Asks for nodes, on the host of `skein run`, until `nodes` numbers are taken (skein_nodes). Returns at once: SKEIN_OK,
 * and the nodes come one after the other; or SKEIN_ENODE, with an error text, if there can never be so many, and
 * nothing is asked for. If a node cannot be started, `skein run` says why, and the run goes on with those that are
 * there. Nodes do not leave: asking for fewer does nothing. */
SKEIN_NOMIGRATE int skein_nodes_request(int nodes);

/* 1 if that node is there, as far as this one knows: it has come, and has not died. */
SKEIN_NOMIGRATE int skein_node_is_there(int node);

#ifdef __cplusplus
}
#endif
#endif
