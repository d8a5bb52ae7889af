/* A parked thread gets the value of a future where it wants it: in its own frame, whether it is woken by the value, or
 * was looked up before. */

// RUN: %skeincc -O2 -Wno-skein-global -fskein-stacks=common %s -o %t.2
// RUN: %skeincc -O0 -Wno-skein-global -fskein-stacks=common %s -o %t.0
// RUN: env SKEIN_OPTIONS=workers=1,park_after=100,park_report=on %t.2 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,park_after=1,park_report=on %t.0 2>&1 | FileCheck %s
// CHECK-DAG: parking: {{[1-9][0-9][0-9]+}} threads were parked
// CHECK-DAG: 2000 have the value, with their own
#include <skein/skein.h>
#include <skein/sync.h>

#include <stdio.h>

enum { threads = 2000 };

static skein_future_t future = SKEIN_FUTURE_INITIALIZER;
static skein_sem_t arrived = SKEIN_SEM_INITIALIZER(0);
static long given = 42;

__attribute__((noinline)) static long gets(long own) {
  void *value = NULL;
  long *pointer = &own;
  skein_sem_signal(&arrived);
  skein_future_get_pointer(&future, &value);
  return value == &given ? *pointer : -1;
}

static long waits(long number) { return gets(number) + given; }

static long joins(skein_thread_t other) {
  long result = -1;
  return skein_join_result(other, &result) == SKEIN_OK ? result : -1;
}

int main(void) {
  static skein_thread_t waiter[threads], joiner[threads];
  for (long i = 0; i < threads; i++) {
    waiter[i] = skein_spawn(waits, i);
    skein_sem_wait(&arrived);
  }
  for (int i = 0; i < threads; i += 2) // which brings each second one back
    joiner[i] = skein_spawn(joins, waiter[i]);
  for (int i = 0; i < 10 * threads; i++)
    skein_yield();
  skein_future_set_pointer(&future, &given);
  long right = 0;
  for (long i = 0; i < threads; i++) {
    long result = -1;
    skein_join_result(i % 2 ? waiter[i] : joiner[i], &result);
    right += result == i + given;
  }
  printf("%ld have the value, with their own\n", right);
  return right != threads;
}
