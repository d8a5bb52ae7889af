/* Distributed arrays: where elements lie, for all layouts; arrays made by one thread or by one on each node together,
 * and freed from any node, once; their memory is zero when it is used again. Copies are started and waited for later.
 */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=50 %run -n 2 --timeout 60 %t | FileCheck %s
// RUN: %t | FileCheck %s
// CHECK: freed: skein_array_free: that is no array, or it has been freed before
// CHECK: too large: skein_array_create: no node has room for its part
// CHECK: differ: skein_array_create: the parties of the collective ask for different arrays
// CHECK: all elements are right

#include "check.h"
#include <skein/shared_array.h>
#include <skein/shared_copy.h>

static void layout(size_t count, size_t bytes, size_t block) {
  skein_array_t a;
  CHECK(skein_array_create(&a, count, bytes, block) == SKEIN_OK);
  int nodes = skein_nodes();
  size_t wide = block ? block : (count + (size_t)nodes - 1) / (size_t)nodes;
  for (size_t i = 0; i < count; i++) {
    skein_shared char *at = skein_array_at(&a, i);
    CHECK(skein_array_node(&a, i) == (int)(i / wide % (size_t)nodes));
    CHECK(skein_shared_node(at) == skein_array_node(&a, i));
    CHECK(skein_array_index(&a, at) == i && skein_array_index(&a, at + bytes - 1) == i);
    CHECK(*at == 0);
    size_t run = skein_array_run(&a, i);
    CHECK(run >= 1 && i + run <= count && (i + run == count || (i + run) % wide == 0));
    CHECK(skein_array_at(&a, i + run - 1) == (skein_shared void *)(at + (run - 1) * bytes));
    *at = 1;
  }
  size_t visited = 0;
  for (int node = 0; node < nodes; node++)
    for (size_t i = skein_array_next(&a, 0, node); i < a.count; i = skein_array_next(&a, i + 1, node), visited++)
      CHECK(skein_array_node(&a, i) == node);
  CHECK(visited == count);
  CHECK(skein_array_free(&a) == SKEIN_OK);
  CHECK(skein_array_free(&a) == SKEIN_EPOINTER);
}

static void together(int node, skein_shared uint64_t *begins) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  skein_array_t a;
  CHECK(skein_array_create_together(&a, 77, (unsigned)skein_nodes(), 1000, 8, SKEIN_BLOCKED) == SKEIN_OK);
  begins[node] = a.begin;
  for (size_t i = skein_array_next(&a, 0, node); i < a.count; i = skein_array_next(&a, i + 1, node))
    *(skein_shared uint64_t *)skein_array_at(&a, i) = i * i;
}

static double here[4000]; /* of this node */

static void started(void) {
  skein_array_t a;
  CHECK(skein_array_create(&a, 4000, sizeof(double), 100) == SKEIN_OK);
  for (int i = 0; i < 4000; i++)
    here[i] = i * 0.25;
  for (size_t i = 0; i < 4000; i += 100) {
    CHECK(skein_shared_put_start(skein_array_at(&a, i), here + i, 100 * sizeof(double)));
    memset(here + i, 0, 100 * sizeof(double)); /* the memory may be changed at once */
  }
  CHECK(skein_shared_flush() == SKEIN_OK);
  skein_pending_t reads[40];
  for (size_t i = 0; i < 40; i++)
    reads[i] = skein_shared_get_start(here + 100 * i, skein_array_at(&a, 100 * i), 100 * sizeof(double));
  for (size_t i = 0; i < 40; i++)
    CHECK(skein_pending_wait(reads[i]) == SKEIN_OK);
  for (int i = 0; i < 4000; i++)
    CHECK(here[i] == i * 0.25);
  CHECK(skein_pending_wait(skein_shared_copy_start(skein_array_at(&a, 0), skein_array_at(&a, 3900), 800)) == SKEIN_OK);
  CHECK(*(skein_shared double *)skein_array_at(&a, 5) == 3905 * 0.25);
  double stack;
  CHECK(!skein_shared_get_start(&stack, skein_array_at(&a, 0), sizeof stack)); /* moves with its thread */
  for (int i = 0; i < 5000; i++)                                               /* more than may be under way */
    skein_pending_forget(skein_shared_put_start(skein_array_at(&a, (size_t)i % 4000), here, sizeof(double)));
  CHECK(skein_shared_flush() == SKEIN_OK);
  for (size_t i = 0; i < 4000; i++)
    CHECK(*(skein_shared double *)skein_array_at(&a, i) == 0);
  CHECK(skein_array_free(&a) == SKEIN_OK);
}

int main(void) {
  skein_stealing_set(0);
  layout(1000, 8, SKEIN_BLOCKED);
  layout(1001, 24, SKEIN_CYCLIC);
  layout(777, 5, 10);
  layout(1, 8, SKEIN_BLOCKED);
  layout(2, 100, SKEIN_CYCLIC);
  int nodes = skein_nodes();
  for (int round = 0; round < 3; round++) {
    skein_shared uint64_t *begins = skein_shared_alloc(0, sizeof(uint64_t) * (size_t)nodes);
    skein_thread_t threads[8];
    for (int node = 0; node < nodes; node++)
      threads[node] = skein_spawn(together, node, begins);
    for (int node = 0; node < nodes; node++)
      CHECK(skein_join(threads[node]) == SKEIN_OK);
    skein_array_t a = {begins[0], 1000, (1000 + (size_t)nodes - 1) / (size_t)nodes, 8, (uint64_t)nodes};
    for (int node = 0; node < nodes; node++)
      CHECK(begins[node] == begins[0]);
    for (size_t i = 0; i < 1000; i++)
      CHECK(*(skein_shared uint64_t *)skein_array_at(&a, i) == i * i);
    CHECK(skein_array_free(&a) == SKEIN_OK);
  }
  CHECK(skein_join(skein_spawn(started)) == SKEIN_OK);

  skein_array_t a, b;
  CHECK(skein_array_create(&a, 10, 8, SKEIN_BLOCKED) == SKEIN_OK && skein_array_free(&a) == SKEIN_OK);
  CHECK(skein_array_free(&a) == SKEIN_EPOINTER);
  printf("freed: %s\n", skein_error_text());
  CHECK(skein_array_create(&a, (size_t)1 << 50, 8, SKEIN_BLOCKED) == SKEIN_EMEMORY);
  printf("too large: %s\n", skein_error_text());
  CHECK(skein_array_create_together(&a, 5, 2, 10, 8, SKEIN_BLOCKED) == SKEIN_OK);
  CHECK(skein_array_create_together(&b, 5, 2, 100000, 8, SKEIN_BLOCKED) == SKEIN_EREFUSED);
  printf("differ: %s\n", skein_error_text());
  CHECK(skein_array_create_together(&b, 5, 2, 10, 8, SKEIN_BLOCKED) == SKEIN_OK && b.begin == a.begin);
  CHECK(skein_array_free(&a) == SKEIN_OK);
  printf("all elements are right\n");
  return 0;
}
