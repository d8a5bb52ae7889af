/* Stealing by request: from any node, from one node, and when there is nothing to steal. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 3 --timeout 30 %t | FileCheck %s
// CHECK: 10 threads ran on node 2, 5 on node 1
// CHECK: nothing: skein_steal: no node has a thread that is ready and may move
// CHECK: nothing: skein_steal_from: node 0 has no thread that is ready and may move
// CHECK: itself: skein_steal_from: node 2 is this node
// CHECK: nobody: skein_steal_from: there is no node 3, only 0 to 2

#include "check.h"

static void note(skein_shared int *ran, skein_semaphore_t done) {
  ran[skein_node()]++; /* each node has one worker */
  CHECK(skein_semaphore_signal(done) == SKEIN_OK);
}

static void thief(int node, int count, int anybody, skein_semaphore_t go, volatile skein_shared int *finished) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(skein_semaphore_wait(go) == SKEIN_OK);
  for (int i = 0; i < count; i++)
    CHECK((anybody ? skein_steal() : skein_steal_from(0)) == SKEIN_OK);
  *finished = 1;
}

static void unlucky(void) {
  CHECK(skein_push_self(2) == SKEIN_OK);
  CHECK(skein_steal() == SKEIN_EEMPTY);
  printf("nothing: %s\n", skein_error_text());
  CHECK(skein_steal_from(0) == SKEIN_EEMPTY);
  printf("nothing: %s\n", skein_error_text());
  CHECK(skein_steal_from(2) == SKEIN_EEMPTY);
  printf("itself: %s\n", skein_error_text());
  CHECK(skein_steal_from(3) == SKEIN_ENODE);
  printf("nobody: %s\n", skein_error_text());
}

int main(void) {
  skein_shared int *ran = skein_shared_alloc(0, 3 * sizeof(int));
  skein_semaphore_t go_1 = skein_semaphore_create(0), go_2 = skein_semaphore_create(0);
  skein_semaphore_t done = skein_semaphore_create(0);
  volatile skein_shared int *finished = skein_shared_alloc(0, 32 * sizeof(int));
  skein_thread_t a = skein_spawn(thief, 2, 10, 0, go_2, finished);
  skein_thread_t b = skein_spawn(thief, 1, 5, 1, go_1, finished + 16);
  while (skein_push(a, 1) != SKEIN_ETHREAD || skein_push(b, 1) != SKEIN_ETHREAD)
    skein_yield(); /* until both are gone */
  for (int i = 0; i < 15; i++)
    CHECK(skein_spawn(note, ran, done));
  CHECK(skein_semaphore_signal(go_2) == SKEIN_OK);
  while (!finished[0])
    ;                                              /* node 0's only worker runs none of them itself */
  CHECK(skein_semaphore_signal(go_1) == SKEIN_OK); /* not before, or node 1 might take the other thief from node 2 */
  while (!finished[16])
    ;
  for (int i = 0; i < 15; i++)
    CHECK(skein_semaphore_wait(done) == SKEIN_OK);
  CHECK(skein_join(a) == SKEIN_OK && skein_join(b) == SKEIN_OK);
  printf("%d threads ran on node 2, %d on node 1\n", ran[2], ran[1]);
  CHECK(skein_join(skein_spawn(unlucky)) == SKEIN_OK);
  return 0;
}
