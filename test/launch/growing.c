/* Nodes come to a run in which everything has been in use for a while: threads that compute and move, arrays, pages with
 * protections, memory that is cached, named objects, channels, barriers, the switch of stealing. Threads find all of it
 * on the new nodes as on the old ones, and the results are those of a run that does not grow. */

// RUN: %skeincc -O2 -I%S/../migrate/Inputs %s -o %t
// RUN: %run -n 1 --max-nodes 4 --timeout 100 %t %skein 3 | FileCheck %s
// RUN: %run -n 2 --max-nodes 4 --timeout 100 --transport tcp %t %skein 2 | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=500 %run -n 1 --max-nodes 4 --timeout 100 %t %skein 3 | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 2 --max-nodes 4 --timeout 100 %t %skein 2 | FileCheck %s
// RUN: env SKEIN_OPTIONS=moves=lazy,policy=gradient %run -n 3 --max-nodes 4 --timeout 100 %t %skein 1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=park=on,deaths=survive,workers=1 %run -n 1 --max-nodes 4 --timeout 100 %t %skein 3 | FileCheck %s
// RUN: %run -n 2 --max-nodes 4 --timeout 100 %t | FileCheck %s
// CHECK: 4 nodes: all is there
// CHECK-NEXT: 300 threads: 152245633
#include "Inputs/sum.h"
#include "check.h"
#include <skein/channel.h>
#include <skein/deaths.h>
#include <skein/global.h>
#include <skein/halfproc.h>
#include <skein/nodes.h>
#include <skein/object.h>
#include <skein/shared_array.h>
#include <skein/shared_cache.h>
#include <sys/mman.h>

enum { threads = 300,
       elements = 1000,
       nodes = 4 };

struct world {
  skein_array_t before, after;
  skein_shared int *pages, *cached, *block;
  skein_object_t object;
  skein_channel_t channel;
  skein_global_barrier_t barrier;
};

static void visitor(skein_shared struct world *world, int on) {
  CHECK(skein_node() == on && skein_nodes() == nodes && skein_node_is_there(on) && !skein_node_is_there(nodes));
  const skein_array_t before = world->before, after = world->after;
  CHECK(skein_global_barrier_wait(world->barrier) >= 0);
  for (int i = on; i < elements; i += nodes) {
    skein_shared int *old = skein_array_at(&before, (size_t)i), *new = skein_array_at(&after, (size_t)i);
    CHECK(*old == 3 * i && *new == 0);
    *new = 5 * i;
    *old += 1;
  }
  CHECK(world->pages[0] == 11 && world->pages[1024] == 22);
  world->pages[on] += on;
  CHECK(world->cached[7] == 77);
  __atomic_fetch_add(world->block, on, __ATOMIC_RELAXED);
  int *counter;
  skein_visit(world->object, counter) { *counter += 1; }
  CHECK(skein_channel_send(world->channel, &on, sizeof on) == SKEIN_OK);
  skein_shared int *mine = skein_shared_alloc(skein_node(), 4 * elements);
  CHECK(mine);
  mine[elements - 1] = on;
  CHECK(skein_global_barrier_wait(world->barrier) >= 0);
  CHECK(mine[elements - 1] == on);
}

int main(int count, char **arguments) {
  skein_main_stays(1);
  skein_stealing_set(0);
  skein_shared struct world *world = skein_shared_alloc(0, sizeof *world);
  skein_array_t before, after;
  CHECK(skein_array_create(&after, elements, 8, SKEIN_BLOCKED) == SKEIN_OK && skein_array_free(&after) == SKEIN_OK);
  CHECK(skein_array_create(&before, elements, sizeof(int), SKEIN_CYCLIC) == SKEIN_OK);
  for (size_t i = 0; i < elements; i++)
    *(skein_shared int *)skein_array_at(&before, i) = 3 * (int)i;
  skein_shared int *pages = skein_shared_map(8192), *cached = skein_shared_alloc(0, 4096);
  CHECK(pages && cached);
  pages[0] = 11;
  pages[1024] = 22;
  CHECK(skein_shared_protect(pages + 1024, 4096, PROT_READ) == SKEIN_OK);
  CHECK(skein_shared_cache(cached, 4096, SKEIN_CACHE_THROUGH) == SKEIN_OK);
  cached[7] = 77;
  world->before = before;
  world->pages = pages;
  world->cached = cached;
  world->block = skein_shared_alloc(0, sizeof(int));
  world->object = skein_object_create("counter", sizeof(int), NULL, NULL);
  world->channel = skein_channel_create(0);
  world->barrier = skein_global_barrier_create(0, nodes);
  CHECK(world->object && world->channel && world->barrier && skein_nodes_most() == nodes);
  const int founders = skein_nodes();
  CHECK(skein_nodes_at_start() == founders);

  skein_thread_t computing[threads];
  for (int64_t i = 0; i < threads; i++)
    CHECK(computing[i] = skein_spawn(sum, i));
  if (count == 1) {
    CHECK(skein_nodes_request(nodes + 1) == SKEIN_ENODE && skein_nodes_request(0) == SKEIN_ENODE);
    CHECK(skein_nodes_request(nodes) == SKEIN_OK && skein_nodes_request(nodes) == SKEIN_OK);
    while (skein_nodes() < nodes)
      skein_yield();
  } else {
    char command[300];
    snprintf(command, sizeof command, "%s node add --run %d %s > /dev/null", arguments[1], (int)getppid(),
             arguments[2]);
    CHECK(count == 3 && system(command) == 0);
  }
  CHECK(skein_nodes() == nodes && skein_nodes_at_start() == founders);
  skein_stealing_set(1);

  CHECK(skein_array_create(&after, elements, sizeof(int), SKEIN_CYCLIC) == SKEIN_OK && after.nodes == nodes);
  world->after = after;
  skein_thread_t visitors[nodes];
  for (int on = 0; on < nodes; on++) {
    const struct skein_attributes there = {.node = SKEIN_ON(on), .worker = SKEIN_ON(0)};
    CHECK(visitors[on] = skein_spawn_with(&there, visitor, world, on));
  }
  int heard = 0, from;
  for (int i = 0; i < nodes; i++) {
    CHECK(skein_channel_receive(world->channel, &from, sizeof from, NULL) == SKEIN_OK);
    heard += from;
  }
  for (int on = 0; on < nodes; on++)
    CHECK(skein_join(visitors[on]) == SKEIN_OK);
  for (size_t i = 0; i < elements; i++) {
    CHECK(*(skein_shared int *)skein_array_at(&before, i) == 3 * (int)i + 1);
    CHECK(*(skein_shared int *)skein_array_at(&after, i) == 5 * (int)i);
  }
  int *counter, visits = 0;
  skein_visit(world->object, counter) { visits = *counter; }
  CHECK(visits == nodes && heard == 6 && *world->block == 6 && pages[0] == 11 && pages[3] == 3);
  printf("%d nodes: all is there\n", skein_nodes());

  int64_t all = 0, one;
  for (int i = 0; i < threads; i++) {
    CHECK(skein_join_result(computing[i], &one) == SKEIN_OK);
    all += one;
  }
  printf("%d threads: %lld\n", threads, (long long)all);
  return 0;
}
