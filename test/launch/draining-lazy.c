/* A node leaves on which thousands of threads have private memory that is left behind (moves=lazy): all of it is fetched
 * from there before the node ends, though the fetcher has more to ask for than there is room for questions. */

// RUN: %skeincc -O2 -I%S/../migrate/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K %run -n 2 --timeout 100 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K,net_delay_us=20,workers=2 %run -n 3 --timeout 100 %t \
// RUN:   | FileCheck %s
// CHECK: 4000 threads: 4000 right
#include "check.h"
#include <skein/deaths.h>
#include <skein/heap.h>
#include <skein/nodes.h>
#include <skein/shared.h>
#include <skein/sync.h>

enum { threads = 4000,
       numbers = 3000,
       before_ms = 300 };

struct world {
  int ready, over, right;
  skein_thread_t all[threads];
};

/* Its numbers lie on pages that are not written any more when it leaves. */
static void lives(skein_shared struct world *world, int number) {
  int *mine = skein_malloc(numbers * sizeof *mine);
  for (int i = 0; i < numbers; i++)
    mine[i] = number + i;
  __atomic_fetch_add(&world->ready, 1, __ATOMIC_RELAXED);
  while (!__atomic_load_n(&world->over, __ATOMIC_RELAXED))
    skein_yield();
  int right = skein_node() == 0 || skein_nodes() > 2;
  for (int i = 0; i < numbers; i++)
    right &= mine[i] == number + i;
  skein_free(mine);
  __atomic_fetch_add(&world->right, right, __ATOMIC_RELAXED);
}

static void bears(skein_shared struct world *world) {
  for (int i = 0; i < threads; i++)
    CHECK(world->all[i] = skein_spawn(lives, world, i));
}

int main(void) {
  skein_main_stays(1);
  skein_shared struct world *world = skein_shared_alloc(0, sizeof *world);
  const int leaver = skein_nodes() - 1;
  const struct skein_attributes there = {.node = SKEIN_ON(leaver), .worker = SKEIN_ON(0)};
  CHECK(world && skein_join(skein_spawn_with(&there, bears, world)) == SKEIN_OK);
  while (__atomic_load_n(&world->ready, __ATOMIC_RELAXED) < threads)
    skein_sleep_ns(1000000);
  skein_sleep_ns(before_ms * UINT64_C(1000000)); /* what was written is looked through meanwhile */
  CHECK(skein_nodes_request(leaver) == SKEIN_OK);
  while (!skein_node_has_left(leaver))
    skein_sleep_ns(1000000);
  __atomic_store_n(&world->over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < threads; i++)
    CHECK(skein_join(world->all[i]) == SKEIN_OK);
  printf("%d threads: %d right\n", threads, world->right);
  return 0;
}
