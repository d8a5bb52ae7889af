/* Plain C accesses shared memory from every node: directly where slices are mapped, by messages where they are not. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 2 --timeout 30 --transport tcp %t | FileCheck %s
// RUN: %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote %t | FileCheck %s
// CHECK: all sums are right
// CHECK: no node: skein_shared_alloc: there is no node 99
// CHECK: too much: skein_shared_alloc: node 0 has no room for
// CHECK: freed twice: skein_shared_free(0x{{[0-9a-f]+}}): the block of 300000 bytes has been freed before
// CHECK: no address: skein_shared_free(0x1000): it is no shared address of this run

#include "check.h"

enum { count = 5000 };

struct item {
  double value;
  int index;
  skein_shared struct item *next;
};

static void fill(skein_shared struct item *items, int from, int step) {
  CHECK(skein_push_self(from % skein_nodes()) == SKEIN_OK);
  for (int i = from; i < count; i += step) {
    items[i].value = i * 0.5;
    items[i].index = i;
    items[i].next = i + 1 < count ? items + i + 1 : 0;
  }
}

static void add(skein_shared struct item *items, skein_shared double *sum, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  double mine = 0;
  for (skein_shared struct item *at = items; at; at = at->next) {
    struct item copy = *at; /* a whole struct at once */
    mine += copy.value + (copy.index == (int)(at - items));
  }
  *sum = mine;
  *sum += 1;
}

static void large(skein_shared unsigned char *bytes, int node) {
  static unsigned char block[300000]; /* each node has its own; filled and compared without a migration point between */
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (size_t i = 0; i < sizeof block; i++)
    bytes[i] = 0;
  CHECK(bytes[299999] == 0);
}

int main(void) {
  int nodes = skein_nodes();
  for (int home = 0; home < nodes; home++) {
    skein_shared struct item *items = skein_shared_alloc(home, count * sizeof *items);
    CHECK(items && skein_shared_node(items) == home && (uintptr_t)items % 64 == 0);
    skein_thread_t threads[16];
    for (int i = 0; i < 6; i++)
      threads[i] = skein_spawn(fill, items, i, 6);
    for (int i = 0; i < 6; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
    skein_shared double *sums = skein_shared_alloc((home + 1) % nodes, 16 * sizeof(double));
    for (int i = 0; i < nodes; i++)
      threads[i] = skein_spawn(add, items, sums + i, i);
    for (int i = 0; i < nodes; i++) {
      CHECK(skein_join(threads[i]) == SKEIN_OK);
      CHECK(sums[i] == 0.5 * count * (count - 1) / 2 + count + 1);
    }
    CHECK(skein_shared_free(items) == SKEIN_OK);
    CHECK(skein_shared_free(sums) == SKEIN_OK);
  }
  skein_shared unsigned char *bytes = skein_shared_alloc(nodes - 1, 300000);
  CHECK(skein_join(skein_spawn(large, bytes, 0)) == SKEIN_OK);
  CHECK(skein_shared_free(bytes) == SKEIN_OK);
  CHECK(skein_shared_free(0) == SKEIN_OK);
  printf("all sums are right\n");

  CHECK(!skein_shared_alloc(99, 8));
  printf("no node: %s\n", skein_error_text());
  CHECK(!skein_shared_alloc(0, (size_t)1 << 40));
  printf("too much: %s\n", skein_error_text());
  CHECK(skein_shared_free(bytes) != SKEIN_OK);
  printf("freed twice: %s\n", skein_error_text());
  CHECK(skein_shared_free((skein_shared void *)0x1000) != SKEIN_OK);
  printf("no address: %s\n", skein_error_text());
  return 0;
}
