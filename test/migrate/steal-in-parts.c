/* An answer to a steal leaves in several messages. However these are delayed and overtake each other, the thief hears
 * of all their threads at once, when the last has come, and each thread runs once. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,steal_bytes=1M %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=workers=1,steal_bytes=1M,net_delay_us=3000,seed=3 %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=workers=1,steal_bytes=1M,net_delay_us=3000,stacks=relocate,image=any %run -n 2 --timeout 60 %t

#include <skein/migration.h>

#include "check.h"

enum { THREADS = 64, ROUNDS = 3 };

/* Some KiB of its stack are live, so that few such threads fit into one message. */
static void sit(volatile skein_shared int *ran, int number) {
  volatile int ballast[600];
  for (int i = 0; i < 600; i++)
    ballast[i] = number + i;
  ran[number]--; /* it sits */
  while (skein_node() == 0)
    skein_yield();
  for (int i = 0; i < 600; i++)
    CHECK(ballast[i] == number + i);
  ran[number] += 2;
}

static void thief(volatile skein_shared int *go, volatile skein_shared int *come) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  *go = 1;
  while (*go != 2)
    ;
  unsigned count = 0;
  const struct skein_choice all = {.states = SKEIN_READY, .most = THREADS};
  CHECK(skein_steal_any_from(&all, 0, &count) == SKEIN_OK);
  *come = (int)count;
}

int main(void) {
  skein_stealing_set(0);
  volatile skein_shared int *ran = skein_shared_alloc(0, THREADS * sizeof(int));
  volatile skein_shared int *go = skein_shared_alloc(0, sizeof(int)), *come = skein_shared_alloc(0, sizeof(int));
  for (int round = 0; round < ROUNDS; round++) {
    skein_thread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
      ran[i] = 0;
    *go = *come = 0;
    skein_thread_t taker = skein_spawn(thief, go, come);
    while (*go != 1)
      skein_yield();
    for (int i = 0; i < THREADS; i++)
      CHECK(threads[i] = skein_spawn(sit, ran, i));
    for (int i = 0; i < THREADS; i++)
      while (ran[i] != -1)
        skein_yield();
    *go = 2;
    while (*come == 0)
      ;                      /* node 0's only worker runs none of them itself */
    CHECK(*come == THREADS); /* one answer, reported when all of it was there */
    CHECK(skein_join(taker) == SKEIN_OK);
    for (int i = 0; i < THREADS; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK && ran[i] == 1);
  }
  return 0;
}
