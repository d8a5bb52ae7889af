/* Threads that may not leave stay, with a reason that names what holds them. A thief passes them by and takes another.
 */

// RUN: %plain-skeincc -O1 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 30 %t | FileCheck %s
// CHECK: foreign: code 1: skein_push_self: {{.*}}foreign frame{{.*}}qsort
// CHECK: heap: code 2: skein_push_self: {{.*}}holds_heap
// CHECK: stolen on node 1, the others on node 0

#include "check.h"

/* Declared by hand, it is the C library's: a foreign frame. */
#define qsort library_qsort
void library_qsort(void *, size_t, size_t, int (*)(const void *, const void *)) __asm__("qsort");

static int foreign_code;
static int compare(const void *a, const void *b) {
  if (!foreign_code) {
    foreign_code = skein_push_self(1);
    printf("foreign: code %d: %s\n", foreign_code, skein_error_text());
  }
  return *(const int *)a - *(const int *)b;
}

static void sorts(void) {
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof *numbers, compare);
  CHECK(numbers[0] == 1 && numbers[2] == 3);
}

/* The optimiser cannot look through this. */
__attribute__((noinline)) static int *heap_block(void) {
  int *block = malloc(64);
  __asm__ volatile("" : "+r"(block));
  return block;
}

static void holds_heap(void) {
  int *block = heap_block();
  *block = 7;
  int code = skein_push_self(1);
  printf("heap: code %d: %s\n", code, skein_error_text());
  CHECK(*block == 7);
  free(block);
}

/* The thief looks for threads now. */
static void stays_ready(skein_shared int *node, skein_shared int *over) {
  *node = -1;
  while (!*(volatile skein_shared int *)over)
    skein_yield();
  *node = skein_node();
}

static void holds_heap_ready(skein_shared int *node, skein_shared int *over) {
  int *block = heap_block();
  stays_ready(node, over);
  free(block);
}

static void free_to_go(skein_shared int *node, skein_shared int *over) { stays_ready(node, over); }

static void thief(skein_semaphore_t go) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK(skein_semaphore_wait(go) == SKEIN_OK);
  CHECK(skein_steal_from(0) == SKEIN_OK);
}

int main(void) {
  CHECK(skein_join(skein_spawn(sorts)) == SKEIN_OK);
  CHECK(skein_join(skein_spawn(holds_heap)) == SKEIN_OK);

  skein_shared int *nodes = skein_shared_alloc(0, 4 * sizeof(int)), *over = nodes + 3;
  *over = 0;
  skein_semaphore_t go = skein_semaphore_create(0);
  skein_thread_t robber = skein_spawn(thief, go);
  while (skein_push(robber, 1) != SKEIN_ETHREAD)
    skein_yield(); /* until it is gone */
  skein_thread_t threads[3] = {skein_spawn(holds_heap_ready, nodes, over),
                               skein_spawn(holds_heap_ready, nodes + 1, over),
                               skein_spawn(free_to_go, nodes + 2, over)};
  for (int i = 0; i < 3; i++)
    while (*(volatile skein_shared int *)(nodes + i) != -1)
      skein_yield(); /* until all have started and are ready */
  CHECK(skein_semaphore_signal(go) == SKEIN_OK);
  compute(0.3);
  *over = 1;
  for (int i = 0; i < 3; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  CHECK(skein_join(robber) == SKEIN_OK);
  CHECK(nodes[0] == 0 && nodes[1] == 0);
  printf("stolen on node %d, the others on node 0\n", nodes[2]);
  return 0;
}
