/* Thousands of threads wait with pointers into their own frames, three deep, and are parked: for a semaphore whose
 * units come one by one or all at once, at a barrier for several rounds, and for a condition. All go on as they were.
 */

// RUN: %skeincc -O2 -Wno-skein-global -fskein-stacks=common %s -o %t.2
// RUN: %skeincc -O0 -Wno-skein-global -fskein-stacks=common %s -o %t.0
// RUN: %skeincc -O2 -Wno-skein-global -fskein-stacks=common -fskein-stress=calls %s -o %t.s
// RUN: env SKEIN_OPTIONS=workers=1,park_after=100,park_report=on %t.2 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,park_after=150,park_report=on %t.2 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,park_after=1,park_report=on %t.2 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1,park_after=7,park_report=on %t.0 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,park_after=3,stress_every=20,stress_protect=off,stress_heap=0 %t.s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RUN: env SKEIN_OPTIONS=workers=2,check=stress,park_after=2,stress_protect=off,stress_heap=0 %t.2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RUN: env SKEIN_OPTIONS=park=off,park_report=on %t.2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RIGHT --implicit-check-not=parking
//
// At least 10,000 of the 45,000 waits are too long for the stack: of the last ones that a worker sees some are not.
// CHECK-DAG: parking: {{[1-4][0-9]+}} threads were parked, in {{[2-9][0-9][0-9]}} bytes each
// CHECK-DAG: and {{[1-4][0-9]+}} brought back; 0 stayed on their stacks
// CHECK-DAG: all went on as they were
// RIGHT: all went on as they were
#include <skein/skein.h>
#include <skein/sync.h>

#include <errno.h>
#include <stdio.h>

enum { threads = 3000, rounds = 3 };

struct item {
  const struct item *next;
  long value;
};

static skein_sem_t gate = SKEIN_SEM_INITIALIZER(0), arrived = SKEIN_SEM_INITIALIZER(0), done = SKEIN_SEM_INITIALIZER(0);
static skein_barrier_t barrier = SKEIN_BARRIER_INITIALIZER(threads);
static skein_mutex_t mutex = SKEIN_MUTEX_INITIALIZER;
static skein_condition_t changed = SKEIN_CONDITION_INITIALIZER;
static long state, wrong;

static void blocks(int way) {
  switch (way) {
  case 0:
    skein_sem_wait(&gate);
    break;
  case 1:
    for (int round = 0; round < rounds; round++)
      skein_barrier_wait(&barrier);
    break;
  default:
    skein_mutex_lock(&mutex);
    while (state < way - 1)
      skein_condition_wait(&changed, &mutex);
    skein_mutex_unlock(&mutex);
  }
}

__attribute__((noinline)) static long inner(const struct item *list, long n, int way) {
  struct item mine = {list, n};
  const struct item *at = &mine;
  errno = (int)n;
  blocks(way);
  long sum = errno == n ? 0 : -1000000;
  for (; at; at = at->next)
    sum += at->value;
  return sum;
}

__attribute__((noinline)) static long middle(const struct item *list, long n, int way) {
  struct item mine = {list, 2 * n};
  long below = inner(&mine, n, way);
  return below + mine.value;
}

static void waits(long n, int way) {
  struct item first = {NULL, 1};
  skein_sem_signal(&arrived);
  for (int part = 0; part < 3; part++)
    if (middle(&first, n + part, way < 2 ? way : way + part) != 1 + 5 * (n + part))
      __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
  skein_sem_signal(&done);
}

static void take(skein_sem_t *sem, int count) {
  for (int i = 0; i < count; i++)
    skein_sem_wait(sem);
}

static void open_gate(int way) {
  switch (way) {
  case 0:
    for (int i = 0; i < 2 * threads; i++)
      skein_sem_signal(&gate);
    skein_sem_signal_n(&gate, threads);
    break;
  case 1:
    break;
  default:
    for (int part = 0; part < 3; part++) {
      skein_mutex_lock(&mutex);
      state++;
      skein_condition_broadcast(&changed);
      skein_mutex_unlock(&mutex);
      for (int i = 0; i < 100; i++)
        skein_yield();
    }
  }
}

int main(void) {
  for (int way = 0; way < 3; way++) {
    for (long i = 0; i < threads; i++) {
      if (!skein_spawn(waits, i, way))
        return printf("%s\n", skein_error_text()), 1;
      if (way != 1)
        take(&arrived, 1);
    }
    open_gate(way);
    take(&done, threads);
    if (way == 1)
      take(&arrived, threads);
  }
  printf(wrong ? "%ld ARE WRONG\n" : "all went on as they were\n", wrong);
  return wrong != 0;
}
