/* A node whose workers all compute answers a steal within 1 ms: its progress thread does. The machine may be crowded by
 * others, so the best of a few runs counts; without the progress thread every answer would take as long as the
 * computation, 200 ms and more. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,steal=off \
// RUN:   %python %S/Inputs/best_of.py 6 "answered in time" %run -n 2 --timeout 20 %t

#include "check.h"

static void nothing(void) {}

static void thief(skein_semaphore_t go, skein_semaphore_t done) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK(skein_semaphore_wait(go) == SKEIN_OK);
  for (int i = 0; i < 50; i++) {
    CHECK(skein_steal_from(0) == SKEIN_OK);
    usleep(3000);
  }
  CHECK(skein_semaphore_signal(done) == SKEIN_OK);
}

int main(void) {
  skein_semaphore_t go = skein_semaphore_create(0), done = skein_semaphore_create(0);
  skein_thread_t robber = skein_spawn(thief, go, done);
  while (skein_push(robber, 1) != SKEIN_ETHREAD)
    skein_yield();
  usleep(50000); /* by now it waits for `go` */
  for (int i = 0; i < 60; i++)
    skein_spawn(nothing);
  CHECK(skein_semaphore_signal(go) == SKEIN_OK);
  compute(0.6);
  CHECK(skein_semaphore_wait(done) == SKEIN_OK);
  struct skein_statistics here;
  CHECK(skein_statistics_get(0, &here) == SKEIN_OK);
  CHECK(here.steals_answered >= 50);
  printf("%s: %llu us\n", here.steal_answer_ns_max <= 1000000 ? "answered in time" : "too late",
         (unsigned long long)here.steal_answer_ns_max / 1000);
  return 0;
}
