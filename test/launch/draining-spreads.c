/* Threads of a node that leaves are dealt out to the others evenly: exactly if they are few, and if they are many, too,
 * although those whose stacks are neighbours go together. */

// RUN: %skeincc -O2 -I%S/../migrate/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 4 --timeout 100 %t 30 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off %run -n 4 --timeout 100 --transport tcp %t 6000 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 4 --timeout 100 %t 6000 | FileCheck %s
// CHECK: evenly
#include "check.h"
#include <skein/deaths.h>
#include <skein/messages.h>
#include <skein/nodes.h>
#include <skein/shared.h>
#include <skein/sync.h>
#include <stdlib.h>

enum { nodes = 4,
       leaver = nodes - 1 };

struct world {
  int ready, over, by_node[nodes];
};

static void lives(skein_shared struct world *world) {
  CHECK(skein_node() == leaver);
  __atomic_fetch_add(&world->ready, 1, __ATOMIC_RELAXED);
  while (!__atomic_load_n(&world->over, __ATOMIC_RELAXED))
    skein_yield();
  __atomic_fetch_add(&world->by_node[skein_node()], 1, __ATOMIC_RELAXED);
}

static void bears(skein_shared struct world *world, int threads) {
  for (int i = 0; i < threads; i++) {
    const skein_thread_t thread = skein_spawn(lives, world);
    CHECK(thread && skein_detach(thread) == SKEIN_OK);
  }
}

int main(int count, char **arguments) {
  skein_main_stays(1);
  skein_shared struct world *world = skein_shared_alloc(0, sizeof *world);
  const int threads = count == 2 ? atoi(arguments[1]) : 0;
  const struct skein_attributes there = {.node = SKEIN_ON(leaver), .worker = SKEIN_ON(0)};
  CHECK(world && threads && skein_nodes() == nodes);
  CHECK(skein_join(skein_spawn_with(&there, bears, world, threads)) == SKEIN_OK);
  while (__atomic_load_n(&world->ready, __ATOMIC_RELAXED) < threads)
    skein_sleep_ns(1000000);
  CHECK(skein_nodes_request(leaver) == SKEIN_OK);
  while (!skein_node_has_left(leaver))
    skein_sleep_ns(1000000);
  __atomic_store_n(&world->over, 1, __ATOMIC_RELAXED);
  CHECK(skein_quiesce() == SKEIN_OK);
  int all = 0, uneven = 0;
  for (int node = 0; node < nodes; node++) {
    const int share = node == leaver ? 0 : threads / (nodes - 1), here = world->by_node[node];
    all += here;
    uneven |= abs(here - share) > threads / 20;
    if (uneven)
      printf("node %d has got %d of %d\n", node, here, threads);
  }
  CHECK(all == threads);
  printf("%s\n", uneven ? "not so" : "evenly");
  return uneven;
}
