/* Whoever looks a parked thread up by its id finds a thread with a record and a stack: it is joined, or cancelled (and
 * its destructors run), and does what other threads do. */

// RUN: %skein++ -std=c++20 -O2 -Wno-skein-global -fskein-stacks=common %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,park_after=2,park_report=on %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,park_after=1,park_report=on %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,park_after=1,steal=off %run -n 2 %t | FileCheck %s --check-prefix=NODES
// CHECK-DAG: skein: parking: {{[0-9][0-9][0-9]+}} threads were parked
// CHECK-DAG: 300 cancelled, 300 destroyed, 300 joined with the right result
// NODES: 300 cancelled, 300 destroyed, 300 joined with the right result
#include <skein/skein.h>
#include <skein/sync.h>

#include <stdio.h>

enum { threads = 600 };
static skein_sem_t gate = SKEIN_SEM_INITIALIZER(0), arrived = SKEIN_SEM_INITIALIZER(0);
static long destroyed;

struct guard {
  long *counter;
  ~guard() { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }
};

static long waits(long n) {
  guard counted{&destroyed};
  long local = n, *pointer = &local;
  skein_sem_signal(&arrived);
  skein_sem_wait(&gate);
  return *pointer * 3;
}

static long joins(skein_thread_t other) {
  long result = -1;
  return skein_join_result(other, &result) == SKEIN_OK ? result : -1;
}

int main() {
  static skein_thread_t waiter[threads], joiner[threads];
  for (long i = 0; i < threads; i++) {
    waiter[i] = skein_spawn(waits, i);
    skein_sem_wait(&arrived);
  }
  // Every second one has somebody who waits for its end before it is woken.
  for (int i = 0; i < threads; i += 2)
    joiner[i] = skein_spawn(joins, waiter[i]);
  long cancelled = 0, right = 0;
  for (int i = 1; i < threads; i += 2)
    cancelled += skein_cancel(waiter[i]) == SKEIN_OK;
  for (int i = 1; i < threads; i += 2)
    skein_join(waiter[i]);
  const long before = destroyed;
  for (int i = 0; i < threads; i += 2)
    skein_sem_signal(&gate);
  for (int i = 0; i < threads; i += 2) {
    long result = -1;
    skein_join_result(joiner[i], &result);
    right += result == 3 * i;
  }
  printf("%ld cancelled, %ld destroyed, %ld joined with the right result\n", cancelled, before, right);
}
