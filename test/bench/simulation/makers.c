/* Decision makers of many nodes, simulated: how well one for all of them, or one for each group, keeps their loads
 * equal, and how busy it is. The nodes, messages and threads are a model (makers_model.cpp); what is decided is decided
 * by the same code as in a run with SKEIN_OPTIONS=policy=testbed,policy_group=N.
 *
 *     makers nodes group [seconds]      group 0: one maker for all
 *
 * Prints one line: nodes, groups, which part of the threads is misplaced at the beginning, after 1 s, after 5 s, and on
 * the average of the second half; in that half requests a second, how busy the busiest maker was, and how many seconds
 * its messages took until they were handled; and how many messages wait in the end. */
#include "makers.h"

#include <skein/simulation.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned nodes, groups;
static double until;

static void node(struct skein_process *self, uint64_t number) {
  skein_sim_hold(self, MAKERS_PERIOD * (double)number / nodes); /* they do not all begin at the same moment */
  for (;;) {
    skein_sim_hold(self, MAKERS_PERIOD);
    skein_sim_release(self, makers_node_period((unsigned)number, self->now));
  }
}

static void request(struct skein_process *self, uint64_t number) {
  makers_request_comes(number);
  skein_sim_hold(self, MAKERS_MOVE);
  skein_sim_release(self, makers_request_done(number, self->now));
}

static void maker(struct skein_process *self, uint64_t group) {
  for (;;) {
    skein_sim_acquire(self, (uint32_t)group); /* a message */
    skein_sim_hold(self, makers_handling((unsigned)group, self->now));
    uint64_t begun[MAKERS_REQUESTS];
    int digest;
    const unsigned count = makers_handled((unsigned)group, self->now, begun, &digest);
    for (unsigned i = 0; i < count; i++)
      skein_sim_process(self, request, begun[i], MAKERS_LATENCY);
    for (unsigned other = 0; digest && other < groups; other++)
      if (other != group) {
        makers_digest_comes((unsigned)group, other, self->now);
        skein_sim_release(self, other);
      }
  }
}

static void clock_of_maker(struct skein_process *self, uint64_t group) {
  skein_sim_hold(self, MAKERS_PERIOD * (double)group / groups);
  for (;;) {
    skein_sim_hold(self, MAKERS_PERIOD);
    makers_maker_period((unsigned)group, self->now);
    skein_sim_release(self, (uint32_t)group);
  }
}

static void begin(struct skein_process *self, uint64_t site) {
  (void)site;
  for (unsigned i = 0; i < groups; i++) {
    skein_sim_units(self, i, 0);
    skein_sim_process(self, maker, i, 0);
    skein_sim_process(self, clock_of_maker, i, 0);
  }
  for (unsigned i = 0; i < nodes; i++)
    skein_sim_process(self, node, i, 0);
  makers_note(self->now);
  int steady = 0;
  for (;;) {
    skein_sim_hold(self, MAKERS_PERIOD);
    if (!steady && self->now >= until / 2) {
      steady = 1;
      makers_steady(self->now);
    }
    makers_note(self->now);
  }
}

int main(int argc, char **argv) {
  nodes = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
  const unsigned group = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
  until = argc > 3 ? strtod(argv[3], NULL) : 10;
  if (nodes < 2 || nodes > 1000000 || !(until > 0)) {
    fprintf(stderr, "usage: makers NODES GROUP [SECONDS]      2 to 1000000 nodes; GROUP 0: one maker for all\n");
    return 2;
  }
  if (skein_nodes() > 1 || !(groups = makers_begin(nodes, group))) {
    fprintf(stderr, "makers: %s\n", skein_nodes() > 1 ? "the model is in the memory of one process" : "no memory");
    return 1;
  }
  const struct skein_model model = {
      .sites = 1, .site_bytes = 8, .resources = groups, .lookahead = 1, .until = until, .begin = begin};
  if (skein_simulate(&model, NULL) != SKEIN_OK) {
    fprintf(stderr, "makers: %s\n", skein_error_text());
    return 1;
  }
  makers_print(until);
  return 0;
}
