/* PHOLD (Fujimoto, 1990), by processes: each of `population` processes at each site holds for an exponential time and
 * then goes on at a random site, with the given probability at another one than its own. A time is the lookahead and an
 * exponential time of mean 1 - lookahead, so the mean is 1. Prints events, seconds and events a second.
 *
 * With bytes to undo with it simulates optimistically, else conservatively.
 *
 *     phold [sites [population [remote % [lookahead [until [bytes]]]]]] */
#include <skein/shared.h>
#include <skein/simulation.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What all processes have to know, in the memory of each site. */
struct parameters {
  uint32_t sites, population;
  double remote, lookahead;
  uint64_t visits;
};
static SKEIN_NODE_LOCAL struct parameters all;

static void wander(struct skein_process *self, uint64_t unused) {
  (void)unused;
  struct skein_stream stream = skein_stream_make(1, self->number);
  const struct parameters *now = skein_sim_memory(self);
  const uint32_t sites = now->sites;
  const double remote = now->remote, lookahead = now->lookahead;
  now = NULL;
  for (;;) {
    const double time = lookahead + skein_stream_exponential(&stream, 1 - lookahead);
    if (skein_stream_uniform(&stream) < remote)
      skein_sim_travel(self, skein_stream_below(&stream, sites), time);
    else
      skein_sim_hold(self, time);
    ((struct parameters *)skein_sim_memory(self))->visits++;
  }
}

static void begin(struct skein_process *self, uint64_t site) {
  (void)site;
  struct parameters *here = skein_sim_memory(self);
  *here = all;
  for (uint32_t i = 0; i < here->population; i++)
    skein_sim_process(self, wander, 0, 0);
}

/* The order in which sites come does not matter. */
static void sum_up(uint32_t site, void *memory, uint64_t to) {
  skein_shared uint64_t *sums = (skein_shared uint64_t *)to;
  const uint64_t visits = ((struct parameters *)memory)->visits;
  __atomic_fetch_add(&sums[0], visits, __ATOMIC_RELAXED);
  __atomic_fetch_add(&sums[1], (visits + site) * UINT64_C(0x9e3779b97f4a7c15), __ATOMIC_RELAXED);
}

static void set(struct parameters parameters) { all = parameters; }

static void set_there(int node, uint64_t sites, uint64_t population, double remote, double lookahead) {
  (void)node;
  set((struct parameters){
      .sites = (uint32_t)sites, .population = (uint32_t)population, .remote = remote, .lookahead = lookahead});
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  const uint32_t sites = argc > 1 ? (uint32_t)atoi(argv[1]) : 64, population = argc > 2 ? (uint32_t)atoi(argv[2]) : 64;
  const double remote = (argc > 3 ? atof(argv[3]) : 10) / 100, lookahead = argc > 4 ? atof(argv[4]) : 0.1,
               until = argc > 5 ? atof(argv[5]) : 200;
  const size_t optimistic = argc > 6 ? (size_t)atoll(argv[6]) : 0;
  for (int node = 0; node < skein_nodes(); node++) {
    const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
    skein_join(skein_spawn_with(&there, set_there, node, (uint64_t)sites, (uint64_t)population, remote, lookahead));
  }
  skein_shared uint64_t *sums = skein_shared_alloc(0, 2 * sizeof *sums);
  const struct skein_model model = {.sites = sites,
                                    .site_bytes = sizeof(struct parameters),
                                    .lookahead = lookahead,
                                    .until = until,
                                    .optimistic = optimistic,
                                    .begin = begin,
                                    .end = sum_up,
                                    .argument = (uint64_t)sums};
  struct skein_simulated what;
  const double start = seconds();
  if (skein_simulate(&model, &what)) {
    fprintf(stderr, "phold: %s\n", skein_error_text());
    return 1;
  }
  const double took = seconds() - start;
  printf("events %llu travels %llu moves %llu windows %llu\n", (unsigned long long)what.events,
         (unsigned long long)what.travels, (unsigned long long)what.moves, (unsigned long long)what.windows);
  if (optimistic)
    printf("ahead %llu rollbacks %llu undone %llu\n", (unsigned long long)what.ahead,
           (unsigned long long)what.rollbacks, (unsigned long long)what.undone);
  printf("visits %llu checksum %016llx\n", (unsigned long long)sums[0], (unsigned long long)sums[1]);
  printf("seconds %.4f events_per_second %.0f\n", took, (double)what.events / took);
  return 0;
}
