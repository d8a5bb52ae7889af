// What events of an optimistic simulation may do and may not. Private heap goes back with its thread. What is outside
// of the simulation is done once, after skein_sim_certain. A process that may not be packed waits until its events are
// certain. One that ends by itself in an event that may be undone is refused.
//
// RUN: %skeincc -O2 -Wno-skein-global %s -lm -o %t
// RUN: %run -n 1 --timeout 60 %t > %t.1 && FileCheck %s < %t.1
// RUN: %run -n 2 --timeout 100 %t 2> %t.2.err > %t.2 && cmp %t.1 %t.2 && FileCheck --check-prefix=AHEAD %s < %t.2.err
// RUN: not %run -n 2 --timeout 60 %t exits 2>&1 | FileCheck --check-prefix=EXITS %s
#include <skein/heap.h>
#include <skein/shared.h>
#include <skein/simulation.h>
#include <stdio.h>
#include <stdlib.h>

enum { sites = 6, processes = 8, steps = 60 };

struct node {
  uint64_t value;
  struct node *next;
};

struct place {
  uint64_t hash, once;
};

static void mix(struct skein_process *self, uint64_t value) {
  struct place *place = skein_sim_memory(self);
  place->hash = (place->hash ^ value ^ self->number) * UINT64_C(0x100000001b3) ^ place->hash >> 31;
}

/* Keeps a list on its private heap, which grows and shrinks, and goes round. */
static void wander(struct skein_process *self, uint64_t counter) {
  struct skein_stream stream = skein_stream_make(3, self->number);
  struct node *list = NULL;
  for (int step = 0; step < steps; step++) {
    struct node *node = skein_malloc(sizeof *node);
    *node = (struct node){skein_stream_bits(&stream), list};
    list = node;
    if (step % 3 == 2) {
      list = node->next;
      skein_free(node);
    }
    uint64_t sum = 0;
    for (struct node *at = list; at; at = at->next)
      sum += at->value;
    mix(self, sum);
    const uint32_t what = skein_stream_below(&stream, 8);
    if (what < 2) {
      skein_sim_travel(self, skein_stream_below(&stream, sites), skein_stream_exponential(&stream, 1));
    } else if (what == 2) {
      skein_sim_certain(self);
      __atomic_fetch_add((skein_shared uint64_t *)counter, 1, __ATOMIC_RELAXED);
      ((struct place *)skein_sim_memory(self))->once++;
      skein_sim_hold(self, skein_stream_exponential(&stream, 1));
    } else if (what == 3) {
      skein_sim_certain(self); /* a thread cannot go back from where it is pinned */
      SKEIN_PINNED {
        skein_sim_hold(self, skein_stream_exponential(&stream, 1)); /* and cannot be packed here */
        mix(self, 1);
      }
    } else {
      skein_sim_hold(self, skein_stream_exponential(&stream, 1));
    }
  }
  while (list) {
    struct node *node = list;
    list = node->next;
    skein_free(node);
  }
}

static uint64_t counter_of(skein_shared uint64_t *counter) { return (uint64_t)counter; }

static void exits(struct skein_process *self, uint64_t counter) {
  struct skein_stream stream = skein_stream_make(4, self->number);
  for (int step = 0; step < steps + (int)self->site; step++)
    if (step % 4)
      skein_sim_hold(self, skein_stream_exponential(&stream, 1));
    else
      skein_sim_travel(self, skein_stream_below(&stream, sites), skein_stream_exponential(&stream, 1));
  (void)counter;
  skein_exit(0);
}

static SKEIN_NODE_LOCAL skein_process_function what_to_do;
static SKEIN_NODE_LOCAL uint64_t counter_here;
static void tell(uint64_t counter, int exit) {
  counter_here = counter;
  what_to_do = exit ? exits : wander;
}

static void begin(struct skein_process *self, uint64_t site) {
  (void)site;
  for (int i = 0; i < processes; i++)
    skein_sim_process(self, what_to_do, counter_here, 0);
}

static void sum_up(uint32_t site, void *memory, uint64_t to) {
  const struct place *place = memory;
  __atomic_fetch_add((skein_shared uint64_t *)to + 1, (place->hash + site) * UINT64_C(0xbf58476d1ce4e5b9),
                     __ATOMIC_RELAXED);
  __atomic_fetch_add((skein_shared uint64_t *)to + 2, place->once, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  (void)argv;
  /* How often an event was that had to be certain; the sum of the histories; how often the sites say that it was. */
  skein_shared uint64_t *certain = skein_shared_alloc(0, 3 * sizeof *certain);
  for (int node = 0; node < skein_nodes(); node++) {
    const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
    skein_join(skein_spawn_with(&there, tell, counter_of(certain), argc > 1));
  }
  const struct skein_model model = {.sites = sites,
                                    .site_bytes = sizeof(struct place),
                                    .until = 1e6,
                                    .optimistic = 4 << 20,
                                    .placement = 2,
                                    .begin = begin,
                                    .end = sum_up,
                                    .argument = (uint64_t)certain};
  struct skein_simulated what;
  if (skein_simulate(&model, &what)) {
    fprintf(stderr, "%s\n", skein_error_text());
    return 1;
  }
  printf("%llu events until %a, history %016llx, outside %s\n", (unsigned long long)what.events, what.now,
         (unsigned long long)certain[1], certain[0] == certain[2] && certain[0] ? "as often as inside" : "wrong");
  fprintf(stderr, "rollbacks %llu, undone %llu, deferred %llu\n", (unsigned long long)what.rollbacks,
          (unsigned long long)what.undone, (unsigned long long)what.deferred);
  return 0;
}
// CHECK: {{[0-9]+}} events until {{.*}}, history {{[0-9a-f]+}}, outside as often as inside
// AHEAD: rollbacks {{[1-9][0-9]*}}, undone {{[1-9][0-9]*}}, deferred {{[1-9][0-9]*}}
// EXITS: skein_simulate: a process has called skein_exit in an event that may be undone; call skein_sim_certain
