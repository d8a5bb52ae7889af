/* Which nodes a run has: for programs whose runs grow and shrink (`skein run --max-nodes`, `skein node add`, `skein
 * node drain`; docs/language.md, "Nodes that come and leave").
 *
 *     int known = skein_nodes();
 *     for (;; work()) {
 *       for (; known < skein_nodes(); known++)
 *         spread_to(known);               // a node has come: give it its part
 *     }
 *     for (int node = 0; node < skein_nodes(); node++)
 *       if (skein_node_is_there(node))    // others have left
 *         ask(node);
 *
 * Threads spread to new nodes by themselves, by the balancing policy, and go away from a node that is to leave. A
 * program needs this only if it places threads or data on certain nodes. None of the functions blocks.
 *
 * (After DMI's nodes that join and leave a computation: seed 5, section 3.) */
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

/* Asks for a run of so many nodes: others come on the host of `skein run`, or those with the highest numbers leave,
 * until `nodes` are there. What was asked for by others (`skein node`) and has not happened yet is counted. Returns at
 * once: SKEIN_OK, and the nodes come or leave one after the other; or SKEIN_ENODE, with an error text, if `nodes` is
 * less than 1 or more than there can ever be, and nothing is asked for. A later call takes the place of this one: what
 * has not begun yet is not done. Node 0 does not leave, nor does a node as long as something keeps it
 * (docs/language.md). If a node cannot be started, or no number is left for it, `skein run` says why, and the run goes
 * on with those that are there. */
SKEIN_NOMIGRATE int skein_nodes_request(int nodes);

/* 1 if that node is there and stays, as far as this one knows: it has come, and has neither died nor left, nor is it
 * about to leave. */
SKEIN_NOMIGRATE int skein_node_is_there(int node);

/* 1 if that node has left the run: what it has kept for others is on node 0, as far as this node knows. */
SKEIN_NOMIGRATE int skein_node_has_left(int node);

#ifdef __cplusplus
}
#endif
#endif
