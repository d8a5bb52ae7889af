/* Threads are joined from any node: born here and ended elsewhere, born elsewhere, ended long ago, joined by many, or
 * never there at all. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: %run -n 3 --timeout 30 %t | FileCheck %s
// CHECK: not given: skein_join: there is and was no thread of that id
// CHECK: not given: skein_join: there is and was no thread of that id
// CHECK: all joined

#include "check.h"

static void sleeper(int node, int hops, skein_shared int *ended) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (int i = 0; i < hops; i++)
    CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
  usleep(20000);
  *ended = 1;
}

static void joiner(int node, skein_thread_t thread, skein_shared int *ended) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(skein_join(thread) == SKEIN_OK);
  CHECK(*ended == 1);
  CHECK(skein_join(thread) == SKEIN_OK); /* once more: it has ended */
}

/* Spawns where it is, and lets another node join. */
static void parent(int node, skein_shared int *ended, skein_shared skein_thread_t *child) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  *child = skein_spawn(sleeper, node, 1, ended);
}

static void impossible(int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(skein_join(123456) == SKEIN_ETHREAD); /* of node 0 */
  printf("not given: %s\n", skein_error_text());
  CHECK(skein_join((skein_thread_t)77 << 40 | 1) == SKEIN_ETHREAD); /* of node 77 */
  printf("not given: %s\n", skein_error_text());
  CHECK(skein_join(skein_self()) == SKEIN_ETHREAD);
}

int main(void) {
  skein_shared int *ended = skein_shared_alloc(2, 64 * sizeof(int));
  skein_shared skein_thread_t *child = skein_shared_alloc(0, sizeof *child);
  skein_thread_t joiners[27];
  int slot = 0;
  for (int at = 0; at < 3; at++)
    for (int hops = 0; hops < 3; hops++) {
      skein_thread_t thread = skein_spawn(sleeper, at, hops, ended + slot);
      for (int from = 0; from < 3; from++)
        joiners[3 * slot + from] = skein_spawn(joiner, from, thread, ended + slot);
      slot++;
    }
  for (int i = 0; i < 27; i++)
    CHECK(skein_join(joiners[i]) == SKEIN_OK);
  for (int birth = 1; birth < 3; birth++) {
    CHECK(skein_join(skein_spawn(parent, birth, ended + slot, child)) == SKEIN_OK);
    skein_thread_t born_there = *child;
    CHECK(born_there >> 40 == (skein_thread_t)birth);
    skein_thread_t other = skein_spawn(joiner, 3 - birth, born_there, ended + slot);
    CHECK(skein_join(born_there) == SKEIN_OK);
    CHECK(ended[slot] == 1);
    CHECK(skein_join(other) == SKEIN_OK);
    slot++;
  }
  CHECK(skein_join(skein_spawn(impossible, 1)) == SKEIN_OK);
  printf("all joined\n");
  return 0;
}
