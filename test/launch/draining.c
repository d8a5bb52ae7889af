/* Nodes leave a run in which threads compute and wait: none is lost, the results are those of a run that does not shrink,
 * and what was made on the nodes that have left is found from the one that stays. */

// RUN: %skeincc -O2 -I%S/../migrate/Inputs %s -o %t
// RUN: %run -n 4 --timeout 100 %t %skein | FileCheck %s
// RUN: %run -n 4 --timeout 100 --transport tcp %t %skein | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=500 %run -n 4 --timeout 100 %t %skein | FileCheck %s
// RUN: env SKEIN_OPTIONS=deaths=survive,workers=1 %run -n 4 --timeout 100 %t %skein | FileCheck %s
// RUN: %run -n 4 --timeout 100 %t | FileCheck %s
// CHECK: 3 nodes have left
// CHECK-NEXT: 300 threads: 152245633
// CHECK-NEXT: 30 waiting threads: 435
#include "Inputs/sum.h"
#include "check.h"
#include <skein/deaths.h>
#include <skein/nodes.h>
#include <skein/shared_array.h>
#include <skein/sync.h>

enum { threads = 300,
       waiting = 30,
       elements = 1000,
       nodes = 4 };

/* Lives until all nodes but one have left, wherever it was born: ready at most times, or asleep at most times. */
static int64_t waits(int64_t number) {
  while (skein_node_is_there(1) || skein_node_is_there(2) || skein_node_is_there(3))
    if (number % 2 == 0)
      skein_yield();
    else
      skein_sleep_ns(10000000);
  return number;
}

static void drain(const char *skein) {
  char command[300];
  snprintf(command, sizeof command, "%s node drain --run %d 3 1 2 > /dev/null", skein, (int)getppid());
  CHECK(system(command) == 0);
  snprintf(command, sizeof command, "test $(%s status --json %d | grep -c 'has left') = 3", skein, (int)getppid());
  CHECK(system(command) == 0);
  snprintf(command, sizeof command, "%s status %d > /dev/null", skein, (int)getppid());
  CHECK(system(command) == 0); // all nodes that are there answer
}

int main(int count, char **arguments) {
  skein_main_stays(1);
  CHECK(skein_nodes() == nodes);
  skein_array_t array;
  CHECK(skein_array_create(&array, elements, sizeof(int), SKEIN_CYCLIC) == SKEIN_OK);
  skein_shared int *mine[nodes];
  for (int node = 0; node < nodes; node++) {
    CHECK(mine[node] = skein_shared_alloc(node, 4 * elements));
    mine[node][elements - 1] = node;
  }
  for (size_t i = 0; i < elements; i++)
    *(skein_shared int *)skein_array_at(&array, i) = 3 * (int)i;

  skein_thread_t computing[threads], sleeping[waiting];
  for (int64_t i = 0; i < threads; i++)
    CHECK(computing[i] = skein_spawn(sum, i));
  for (int64_t i = 0; i < waiting; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON((int)(i % nodes))};
    CHECK(sleeping[i] = skein_spawn_with(&there, waits, i));
  }
  if (count == 1) {
    CHECK(skein_nodes_request(1) == SKEIN_OK);
    while (skein_node_is_there(1) || skein_node_is_there(2) || skein_node_is_there(3))
      skein_yield();
  } else {
    drain(arguments[1]);
  }
  int there = 0;
  for (int node = 0; node < skein_nodes(); node++)
    there += skein_node_is_there(node);
  CHECK(there == 1 && skein_nodes() == nodes);
  printf("%d nodes have left\n", skein_nodes() - there);

  for (int node = 0; node < nodes; node++)
    CHECK(mine[node][elements - 1] == node && mine[node][0] == 0);
  for (size_t i = 0; i < elements; i++)
    CHECK(*(skein_shared int *)skein_array_at(&array, i) == 3 * (int)i);
  CHECK(skein_push_self(2) != SKEIN_OK && skein_node() == 0);
  int64_t all = 0, one;
  for (int i = 0; i < threads; i++) {
    CHECK(skein_join_result(computing[i], &one) == SKEIN_OK);
    all += one;
  }
  printf("%d threads: %lld\n", threads, (long long)all);
  all = 0;
  for (int i = 0; i < waiting; i++) {
    CHECK(skein_join_result(sleeping[i], &one) == SKEIN_OK);
    all += one;
  }
  printf("%d waiting threads: %lld\n", waiting, (long long)all);
  return 0;
}
