/* Going on after deaths: for programs that run with SKEIN_OPTIONS=deaths=survive, where a node that dies takes its
 * threads along and leaves the others.
 *
 * What a survivor has to find out, and what there is for it:
 *
 *     who is dead                   skein_deaths, skein_dead_node
 *     do all know the same          skein_agree
 *     barriers and reductions       skein_global_shrink (<skein/global.h>): how many parties are left
 *     which threads were lost       skein_join: SKEIN_EDEAD
 *     main shall not be lost        skein_main_stays; node 0 is lost with the run
 *
 *     struct skein_agreement all = {.value = my_part_is_done};
 *     skein_agree(&all);                                     // one thread of each node
 *     skein_global_shrink(barrier, skein_nodes() - (int)all.deaths, (int)all.deaths);
 *
 * If no thread can go on, on any node, because of what was lost or by mistake, the run ends with status 70 and says
 * which threads wait for what, on all nodes (docs/pitfalls.md).
 *
 * (After the ULFM extension of MPI: failure_get_acked, shrink, agree.) */
#ifndef SKEIN_DEATHS_H
#define SKEIN_DEATHS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many nodes have died, as far as this node knows. The number never goes down. All nodes hear of deaths in the same
 * order, so two nodes that know the same number know the same deaths, and a number stands for which they were. Never
 * blocks. */
int skein_deaths(void);

/* The node that died as number `index` + 1. -1: fewer have died as far as this node knows. Never blocks. */
int skein_dead_node(int index);

struct skein_agreement {
  uint64_t value;  /* in: this node's; out: all living nodes' bits in common (and) */
  uint64_t deaths; /* out: so many nodes were dead; they are in the same order on every node (skein_dead_node) */
};

/* Makes the living nodes agree. One thread of each node calls this, and all get the same, whichever node dies
 * meanwhile: the values of those nodes that lived when the last one came. Nodes that die are not waited for. When it
 * returns, this node knows of all these deaths. SKEIN_OK. SKEIN_ELOCK: another thread of this node is in it already. (A
 * node on which no thread calls it keeps the others waiting. A thread that is stolen calls it for the node where it
 * then is, so switch stealing off by skein_stealing_set(0) first.) SKEIN_EDEAD: node 0 died. May block. A run of one
 * node agrees with itself. */
int skein_agree(struct skein_agreement *agreement);

/* With 1, thieves, balancing policies and moves after data (follow=) leave main on the node where this is called; with
 * 0 they may take it. It still moves by skein_push_self, and when another thread pushes it. Each node has its own
 * setting, like a global variable: call it again where main goes. Never blocks. */
void skein_main_stays(int stays);

#ifdef __cplusplus
}
#endif
#endif
