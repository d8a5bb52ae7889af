/* A node is killed with kill -9. The others say at once which node died and which threads were there, threads that
 * waited for it are told, and the run ends with status 137. death.py kills and watches the clock (5 s). */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %python %S/Inputs/death.py %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off %python %S/Inputs/death.py \
// RUN:   %run -n 3 --timeout 30 --transport tcp %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off %python %S/Inputs/death.py %run -n 2 --timeout 30 %t 2>&1 | FileCheck %s
// CHECK-DAG: skein run: node 1 was killed by signal 9 (Killed)
// CHECK-DAG: skein[0]: node 1 was killed by signal 9 (Killed); the run ends
// CHECK-DAG: skein[0]: node 1 had 5 of the threads born here, now lost: 2-6 (
// CHECK-DAG: join: code 4: skein_join: the thread was lost with node 1
// CHECK-DAG: late join: code 4: skein_join: the thread was lost with node 1
// CHECK-DAG: push: code 4: skein_push_self: node 1 is dead
// CHECK-DAG: semaphore: code 4: {{.*}}node 1
// CHECK: status 137, nothing left

#include "check.h"

static void sitter(skein_shared int *there) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  *there = 1;
  for (;;) {
    usleep(1000);
    skein_yield();
  }
}

static void maker(skein_shared skein_semaphore_t *to) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  *to = skein_semaphore_create(0);
}

static void waits_there(skein_shared skein_semaphore_t *semaphore) {
  int code = skein_semaphore_wait(*semaphore);
  printf("semaphore: code %d: %s\n", code, skein_error_text());
}

int main(void) {
  skein_stealing_set(0);
  skein_shared int *there = skein_shared_alloc(0, 5 * sizeof(int));
  skein_thread_t threads[5];
  for (int i = 0; i < 5; i++)
    threads[i] = skein_spawn(sitter, there + i);
  skein_shared skein_semaphore_t *semaphore = skein_shared_alloc(0, sizeof *semaphore);
  CHECK(skein_join(skein_spawn(maker, semaphore)) == SKEIN_OK);
  skein_spawn(waits_there, semaphore);
  for (int i = 0; i < 5; i++)
    while (!*(volatile skein_shared int *)(there + i))
      skein_yield();
  usleep(300000); /* by now a thread waits for the semaphore */
  printf("kill node 1 now\n");
  int code = skein_join(threads[3]);
  printf("join: code %d: %s\n", code, skein_error_text());
  code = skein_join(threads[2]); /* this one began when the death was known */
  printf("late join: code %d: %s\n", code, skein_error_text());
  code = skein_push_self(1);
  printf("push: code %d: %s\n", code, skein_error_text());
  for (;;)
    skein_yield();
}
