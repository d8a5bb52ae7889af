/* What the models of `skein bench simulation` have in common: their parameters, what they count, and what they print.
 * All processes of a model read its parameters in the memory of their site, which sums up what happened there. */
#ifndef SKEIN_TEST_BENCH_SIMULATION_BENCH_MODEL_H
#define SKEIN_TEST_BENCH_SIMULATION_BENCH_MODEL_H

#include <skein/shared.h>
#include <skein/simulation.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct parameters {
  uint32_t sites, population; /* processes that begin at each site */
  uint32_t hot;               /* so many sites, the first ones, are a region of their own, which the others are, too: */
  double remote, lookahead;   /* remote: how likely the next site is any of the region, and not the same */
  uint64_t visits;
};
static SKEIN_NODE_LOCAL struct parameters all;

enum { less_elsewhere = 16 }; /* so many times less processes begin at a site that is not hot, if there are hot ones */

/* A site begins with these. */
static void begin_with(struct skein_process *self, skein_process_function function) {
  struct parameters *here = skein_sim_memory(self);
  *here = all;
  const uint32_t population =
      self->site < here->hot || !here->hot ? here->population : here->population / less_elsewhere;
  for (uint32_t i = 0; i < population; i++)
    skein_sim_process(self, function, 0, 0);
}

/* Some time passes, of which the lookahead is a part and whose mean is 1, and the process is at the next site. */
static void go_on(struct skein_process *self, struct skein_stream *stream, const struct parameters *now) {
  const double time = now->lookahead + skein_stream_exponential(stream, 1 - now->lookahead);
  const uint32_t first = self->site < now->hot ? 0 : now->hot, end = self->site < now->hot ? now->hot : now->sites;
  if (skein_stream_uniform(stream) < now->remote)
    skein_sim_travel(self, first + skein_stream_below(stream, end - first), time);
  else
    skein_sim_hold(self, time);
}

/* The order in which sites come does not matter. */
static void sum_up(uint32_t site, void *memory, uint64_t to) {
  skein_shared uint64_t *sums = (skein_shared uint64_t *)to;
  const uint64_t visits = ((struct parameters *)memory)->visits;
  __atomic_fetch_add(&sums[0], visits, __ATOMIC_RELAXED);
  __atomic_fetch_add(&sums[1], (visits + site) * UINT64_C(0x9e3779b97f4a7c15), __ATOMIC_RELAXED);
}

static void set(struct parameters parameters) { all = parameters; }

static void set_there(uint64_t hot, uint64_t sites, uint64_t population, double remote, double lookahead) {
  set((struct parameters){.sites = (uint32_t)sites,
                          .population = (uint32_t)population,
                          .hot = (uint32_t)hot,
                          .remote = remote,
                          .lookahead = lookahead});
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Simulates what the command line says, and prints the figures. Returns how many visits there were, and sets the
 * parameters for the caller and `*until`. Ends the program if the model is refused. */
static uint64_t simulate(int argc, char **argv, skein_process_function begin, uint32_t resources, double *until) {
  const uint32_t sites = argc > 1 ? (uint32_t)atoi(argv[1]) : 64, population = argc > 2 ? (uint32_t)atoi(argv[2]) : 64;
  const double remote = (argc > 3 ? atof(argv[3]) : 10) / 100, lookahead = argc > 4 ? atof(argv[4]) : 0.1;
  *until = argc > 5 ? atof(argv[5]) : 200;
  const size_t optimistic = argc > 6 ? (size_t)atoll(argv[6]) : 0;
  const uint64_t hot = argc > 7 ? (uint64_t)atoll(argv[7]) : 0;
  for (int node = 0; node < skein_nodes(); node++) {
    const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
    skein_join(skein_spawn_with(&there, set_there, hot, (uint64_t)sites, (uint64_t)population, remote, lookahead));
  }
  skein_shared uint64_t *sums = skein_shared_alloc(0, 2 * sizeof *sums);
  const struct skein_model model = {.sites = sites,
                                    .site_bytes = sizeof(struct parameters),
                                    .resources = resources,
                                    .lookahead = lookahead,
                                    .until = *until,
                                    .optimistic = optimistic,
                                    .balance = argc > 8 && atoi(argv[8]),
                                    .begin = begin,
                                    .end = sum_up,
                                    .argument = (uint64_t)sums};
  struct skein_simulated what;
  const double start = seconds();
  if (skein_simulate(&model, &what)) {
    fprintf(stderr, "%s: %s\n", argv[0], skein_error_text());
    exit(1);
  }
  const double took = seconds() - start;
  printf("events %llu travels %llu moves %llu windows %llu\n", (unsigned long long)what.events,
         (unsigned long long)what.travels, (unsigned long long)what.moves, (unsigned long long)what.windows);
  if (model.balance)
    printf("sites moved %llu stayed %llu\n", (unsigned long long)what.sites_moved,
           (unsigned long long)what.sites_stayed);
  if (optimistic)
    printf("ahead %llu rollbacks %llu undone %llu\n", (unsigned long long)what.ahead,
           (unsigned long long)what.rollbacks, (unsigned long long)what.undone);
  printf("visits %llu checksum %016llx\n", (unsigned long long)sums[0], (unsigned long long)sums[1]);
  printf("seconds %.4f events_per_second %.0f\n", took, (double)what.events / took);
  return sums[0];
}

#endif
