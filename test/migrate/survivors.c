/* deaths=survive: node 1 is killed while all are in a barrier and in an agreement. The survivors learn which node is
 * dead, agree on it, shrink the barrier and the reduction, and go on. Threads that waited before that, and those that
 * come without a shrink, get an error and do not stand. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive %python %S/Inputs/death.py --survive \
// RUN:   %run -n 4 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive %python %S/Inputs/death.py --survive \
// RUN:   %run -n 4 --timeout 30 %t agree 2>&1 | FileCheck %s
// RUN: %if tcp %{ env SKEIN_OPTIONS=steal=off,deaths=survive %python %S/Inputs/death.py --survive \
// RUN:   %run -n 4 --timeout 30 --transport tcp %t 2>&1 | FileCheck %s %}
// RUN: env SKEIN_OPTIONS=steal=off %t alone | FileCheck %s --check-prefix=ALONE

// CHECK-DAG: node 0: barrier: 4: skein_global_barrier_wait: node 1 died, and nobody knows whether a party
// CHECK-DAG: node 2: barrier: 4
// CHECK-DAG: node 3: barrier: 4
// CHECK-DAG: node 0: without shrinking: 4
// CHECK-DAG: node 0: agreed on 0x4 and 1 deaths: 1
// CHECK-DAG: node 2: agreed on 0x4 and 1 deaths: 1
// CHECK-DAG: node 3: agreed on 0x4 and 1 deaths: 1
// CHECK-DAG: node 0: too few deaths: 4: skein_global_shrink: more nodes are dead by now
// CHECK-DAG: node 0: other parties: 5: skein_global_shrink: another number of parties
// CHECK-DAG: node 0: 100 rounds, sum 5 of 0, 2, 3
// CHECK-DAG: node 2: 100 rounds, sum 5 of 0, 2, 3
// CHECK-DAG: node 3: 100 rounds, sum 5 of 0, 2, 3
// CHECK: status 0, nothing left
// ALONE: 0 deaths, -1, agreed on 0x7 and 0

#include "check.h"
#include <inttypes.h>
#include <skein/deaths.h>
#include <skein/global.h>
#include <skein/sync.h>
#include <string.h>

static void party(int home, skein_global_barrier_t barrier, skein_reduction_t reduction, skein_semaphore_t ready,
                  int agrees) {
  CHECK(home == 0 || skein_push_self(home) == SKEIN_OK);
  CHECK(skein_global_barrier_wait(barrier) == SKEIN_OK);
  struct skein_agreement all = {.value = UINT64_C(0x14) | UINT64_C(1) << home};
  if (home == 1 && agrees) { /* the others wait for its part */
    CHECK(skein_semaphore_signal(ready) == SKEIN_OK);
    for (;;)
      skein_sleep_ns(1000000);
  }
  if (agrees) {
    all.value = 0x4 | (home == 2 ? 0x10 : 0x20);
    CHECK(skein_agree(&all) == SKEIN_OK && all.deaths == 1 && all.value == 0x4);
  }
  if (home == 1) {
    CHECK(skein_semaphore_signal(ready) == SKEIN_OK);
    for (;;)
      skein_sleep_ns(1000000);
  }
  int code = skein_global_barrier_wait(barrier);
  printf("node %d: barrier: %d: %s\n", home, code, skein_error_text());
  CHECK(code == SKEIN_EDEAD);
  if (home == 0) { /* for no thread it is a round until it is shrunk */
    code = skein_global_barrier_wait(barrier);
    printf("node 0: without shrinking: %d\n", code);
    long one = 1;
    CHECK(skein_reduce_int64(reduction, SKEIN_REDUCE_ADD, &one, 1) == SKEIN_EDEAD);
    code = skein_global_shrink(barrier, 4, 0);
    printf("node 0: too few deaths: %d: %s\n", code, skein_error_text());
  }
  all.value = 0x4 | (home == 2 ? 0x10 : 0x20);
  CHECK(skein_agree(&all) == SKEIN_OK);
  printf("node %d: agreed on 0x%" PRIx64 " and %" PRIu64 " deaths: %d\n", home, all.value, all.deaths,
         skein_dead_node(0));
  CHECK(skein_deaths() == 1 && skein_dead_node(1) == -1);
  const unsigned left = (unsigned)skein_nodes() - (unsigned)all.deaths;
  CHECK(skein_global_shrink(barrier, left, (int)all.deaths) == SKEIN_OK);
  CHECK(skein_global_shrink(reduction, left, (int)all.deaths) == SKEIN_OK);
  long sum = 0;
  for (int i = 0; i < 100; i++) {
    CHECK(skein_global_barrier_wait(barrier) == SKEIN_OK);
    sum = home;
    CHECK(skein_reduce_int64(reduction, SKEIN_REDUCE_ADD, &sum, 1) == SKEIN_OK);
    CHECK(skein_agree(&(struct skein_agreement){.value = (uint64_t)i}) == SKEIN_OK);
  }
  if (home == 0) {
    code = skein_global_shrink(barrier, left + 1, (int)all.deaths);
    printf("node 0: other parties: %d: %s\n", code, skein_error_text());
  }
  printf("node %d: 100 rounds, sum %ld of 0, 2, 3\n", home, sum);
  fflush(stdout);
}

int main(int count, char **words) {
  if (skein_nodes() == 1) {
    struct skein_agreement all = {.value = 7, .deaths = 9};
    CHECK(skein_agree(&all) == SKEIN_OK);
    printf("%d deaths, %d, agreed on 0x%" PRIx64 " and %" PRIu64 "\n", skein_deaths(), skein_dead_node(0), all.value,
           all.deaths);
    return 0;
  }
  const int agrees = count > 1 && strcmp(words[1], "agree") == 0;
  skein_global_barrier_t barrier = skein_global_barrier_create(0, 4);
  skein_reduction_t reduction = skein_reduction_create(2, 4);
  skein_semaphore_t ready = skein_semaphore_create(0);
  skein_thread_t parties[4];
  for (int i = 0; i < 4; i++)
    parties[i] = skein_spawn(party, i, barrier, reduction, ready, agrees);
  CHECK(skein_semaphore_wait(ready) == SKEIN_OK);
  skein_sleep_ns(100000000); /* the others are in it */
  printf("kill node 1 now\n");
  fflush(stdout);
  for (int i = 0; i < 4; i++)
    CHECK(skein_join(parties[i]) == (i == 1 ? SKEIN_EDEAD : SKEIN_OK));
  return 0;
}
