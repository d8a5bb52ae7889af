// Random models give the same histories to the last bit on any number of nodes, wherever their sites are: processes
// that hold, travel, wait for resources, signal and create others, at times of which many are equal.
//
// RUN: %skeincc -O2 -Wno-skein-global %s -lm -o %t && %run -n 1 --timeout 100 %t 24 > %t.1
// RUN: FileCheck %s < %t.1
// RUN: %run -n 2 --timeout 100 %t 24 > %t.2 && cmp %t.1 %t.2
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any,workers=1 %run -n 3 --timeout 100 %t 24 9 > %t.3
// RUN: cmp %t.1 %t.3
// RUN: env SKEIN_OPTIONS=net_delay_us=200 %run -n 2 --timeout 100 %t 8 5 > %t.4
// RUN: head -8 %t.1 | cmp - %t.4
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 2 --timeout 100 %t 24 0 0 1 0 7 > %t.5 2> %t.5.said
// RUN: cmp %t.1 %t.5 && FileCheck --check-prefix=MOVES %s < %t.5.said
// MOVES: sites moved {{[1-9][0-9]+}}, stayed 0
// CHECK: model 0: {{.*}} sites, {{.*}} processes, {{.*}} events, {{.*}} travels, until {{.*}}, history
#include <skein/shared.h>
#include <skein/simulation.h>
#include <stdio.h>
#include <stdlib.h>

enum { resources = 2, whole_times = 1, children = 2, signals = 4 };

/* A site knows the model from its first process, and writes its history down as a hash. */
struct history {
  uint64_t hash, entries;
  uint64_t seed;
  uint32_t sites, kinds;
  double lookahead;
};

static uint64_t model_seed(uint64_t number) { return number * UINT64_C(0x9e3779b97f4a7c15) + 1; }

/* The same models, with travels that may take no time. */
static SKEIN_NODE_LOCAL int no_lookahead;

/* What a model is, from its number alone, which is in the low bits of the argument of each process. */
static void describe(uint64_t number, uint32_t *sites, double *lookahead, uint32_t *kinds, uint32_t *population) {
  struct skein_stream stream = skein_stream_make(model_seed(number), 1);
  *sites = 1 + skein_stream_below(&stream, 9);
  *kinds = skein_stream_below(&stream, 8);
  *lookahead = *kinds & whole_times ? 1 + skein_stream_below(&stream, 3) : 0.1 + skein_stream_uniform(&stream);
  if (no_lookahead)
    *lookahead = 0;
  *population = 1 + skein_stream_below(&stream, 6);
}

static void write_into(struct history *history, struct skein_process *self, uint64_t what) {
  union {
    double time;
    uint64_t bits;
  } now = {self->now};
  const uint64_t words[] = {now.bits, self->number, what};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    history->hash = (history->hash ^ words[i]) * UINT64_C(0x100000001b3) ^ history->hash >> 29;
  history->entries++;
}

static void write_down(struct skein_process *self, uint64_t what) { write_into(skein_sim_memory(self), self, what); }

static double draw_time(struct skein_stream *stream, uint32_t kinds) {
  return kinds & whole_times ? skein_stream_below(stream, 4) : skein_stream_exponential(stream, 1);
}

static void live(struct skein_process *self, uint64_t number_and_depth) {
  const uint64_t number = number_and_depth & 0xffffffff, depth = number_and_depth >> 32;
  uint32_t sites, kinds, population;
  double lookahead;
  describe(number, &sites, &lookahead, &kinds, &population);
  struct skein_stream stream = skein_stream_make(model_seed(number), self->number + 2);
  for (int step = 0; step < 30; step++) {
    const uint32_t what = skein_stream_below(&stream, 8);
    write_down(self, what);
    if (what < 3) {
      skein_sim_hold(self, draw_time(&stream, kinds));
    } else if (what < 5) {
      skein_sim_travel(self, skein_stream_below(&stream, sites), lookahead + draw_time(&stream, kinds));
    } else if (what < 7) {
      const uint32_t resource = what - 5;
      struct history *here = skein_sim_memory(self); // the site may move while the process is at it
      const struct skein_resource *look = skein_sim_resource(self, resource);
      skein_sim_acquire(self, resource);
      write_into(here, self, 100 + look->waiting);
      skein_sim_hold(self, draw_time(&stream, kinds));
      skein_sim_release(self, resource);
      write_into(here, self, 200 + look->free);
    } else if (kinds & children && depth < 3) {
      skein_sim_process(self, live, (depth + 1) << 32 | number, draw_time(&stream, kinds));
    } else if (kinds & signals) {
      skein_sim_release(self, 1); // one unit more
    }
  }
  write_down(self, 99);
}

/* The argument of the first process is its site; which model it is, is in what each node was told. */
static SKEIN_NODE_LOCAL uint64_t model_number;
static void begin(struct skein_process *self, uint64_t site) {
  uint32_t sites, kinds, population;
  double lookahead;
  const uint64_t number = model_number;
  describe(number, &sites, &lookahead, &kinds, &population);
  write_down(self, site);
  for (uint32_t i = 0; i < population; i++)
    skein_sim_process(self, live, number, 0);
}

static void tell(uint64_t number, int has_lookahead) {
  model_number = number;
  no_lookahead = !has_lookahead;
}

static void sum_up(uint32_t site, void *memory, uint64_t to) {
  const struct history *history = memory;
  __atomic_fetch_add((skein_shared uint64_t *)to, (history->hash + site) * UINT64_C(0xbf58476d1ce4e5b9),
                     __ATOMIC_RELAXED);
}

/* models [how many [placement [bytes to undo with [0: without lookahead [the first one [seed of moves]]]]]] */
int main(int argc, char **argv) {
  const uint64_t models = argc > 1 ? (uint64_t)atoll(argv[1]) : 60, placement = argc > 2 ? (uint64_t)atoll(argv[2]) : 0,
                 first = argc > 5 ? (uint64_t)atoll(argv[5]) : 0;
  const size_t optimistic = argc > 3 ? (size_t)atoll(argv[3]) : 0;
  const uint64_t shuffle = argc > 6 ? (uint64_t)atoll(argv[6]) : 0;
  const int has_lookahead = argc <= 4 || atoi(argv[4]);
  struct skein_simulated all = {0};
  skein_shared uint64_t *history = skein_shared_alloc(0, sizeof *history);
  for (uint64_t number = first; number < first + models; number++) {
    for (int node = 0; node < skein_nodes(); node++) {
      const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
      skein_join(skein_spawn_with(&there, tell, number, has_lookahead));
    }
    struct skein_model model = {.site_bytes = sizeof(struct history),
                                .resources = resources,
                                .placement = placement,
                                .shuffle = shuffle ? shuffle + number : 0,
                                .optimistic = optimistic,
                                .begin = begin,
                                .end = sum_up,
                                .argument = (uint64_t)history};
    uint32_t kinds, population;
    describe(number, &model.sites, &model.lookahead, &kinds, &population);
    model.until = number % 3 ? 1000 : 20;
    *history = 0;
    struct skein_simulated what;
    if (skein_simulate(&model, &what)) {
      fprintf(stderr, "%s\n", skein_error_text());
      return 1;
    }
    printf("model %llu: %u sites, %llu processes, %llu events, %llu travels, until %a, history %016llx\n",
           (unsigned long long)number, model.sites, (unsigned long long)what.processes, (unsigned long long)what.events,
           (unsigned long long)what.travels, what.now, (unsigned long long)*history);
    all.ahead += what.ahead;
    all.rollbacks += what.rollbacks;
    all.undone += what.undone;
    all.withdrawn += what.withdrawn;
    all.deferred += what.deferred;
    all.windows += what.windows;
    all.sites_moved += what.sites_moved;
    all.sites_stayed += what.sites_stayed;
    if (what.sites_stayed)
      fprintf(stderr, "model %llu: a site stayed: %s\n", (unsigned long long)number, what.why_stayed);
    all.undo_bytes = all.undo_bytes > what.undo_bytes ? all.undo_bytes : what.undo_bytes;
  }
  fprintf(stderr, "sites moved %llu, stayed %llu\n", (unsigned long long)all.sites_moved,
          (unsigned long long)all.sites_stayed);
  fprintf(stderr, "ahead %llu, rollbacks %llu, undone %llu, withdrawn %llu, deferred %llu, windows %llu, bytes %llu\n",
          (unsigned long long)all.ahead, (unsigned long long)all.rollbacks, (unsigned long long)all.undone,
          (unsigned long long)all.withdrawn, (unsigned long long)all.deferred, (unsigned long long)all.windows,
          (unsigned long long)all.undo_bytes);
  return 0;
}
