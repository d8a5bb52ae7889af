/* Threads that have come from another node are parked there like others, and go back. */

// RUN: %skeincc -O2 -Wno-skein-global -fskein-stacks=common %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,park_after=3,park_report=on %run -n 2 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,park_after=1,stacks=relocate,image=any %run -n 3 %t \
// RUN:   | FileCheck %s --check-prefix=RIGHT
//
// CHECK-DAG: parking: {{[0-9][0-9][0-9]+}} threads were parked
// CHECK-DAG: parking: {{[0-9][0-9][0-9]+}} threads were parked
// CHECK-DAG: 1000 threads were right
// RIGHT: 1000 threads were right
#include <skein/shared.h>
#include <skein/skein.h>
#include <skein/sync.h>

#include <stdio.h>

enum { threads = 1000 };

static skein_sem_t gate = SKEIN_SEM_INITIALIZER(0); // each node has its own

__attribute__((noinline)) static long waits(const long *number, int depth) {
  long here = *number + depth;
  if (depth)
    return waits(&here, depth - 1) - here;
  skein_sem_wait(&gate);
  return here + *number;
}

static long wanders(long n) {
  const long once = waits(&n, 2);
  skein_push_self((int)(n % skein_nodes()));
  const long again = waits(&n, 2);
  skein_push_self(0);
  return once == again ? waits(&n, 2) - once : -1;
}

static void opens(int node, skein_shared long *over) {
  skein_push_self(node);
  for (long open = 0; !*over; open++) {
    skein_sem_signal_all(&gate);
    skein_yield();
    if (open % 100 == 0)
      skein_sleep_ns(1000000);
  }
}

int main(void) {
  static skein_thread_t wanderer[threads];
  long right = 0;
  for (long n = 0; n < threads; n++)
    if (!(wanderer[n] = skein_spawn(wanders, n)))
      return printf("%s\n", skein_error_text()), 1;
  skein_thread_t opener[16];
  skein_shared long *over = skein_shared_alloc(0, sizeof *over);
  if (!over)
    return 1;
  *over = 0;
  for (int node = 0; node < skein_nodes(); node++)
    opener[node] = skein_spawn(opens, node, over);
  for (long n = 0; n < threads; n++) {
    long result = -1;
    right += skein_join_result(wanderer[n], &result) == SKEIN_OK && result == 0;
  }
  *over = 1;
  for (int node = 0; node < skein_nodes(); node++)
    skein_join(opener[node]);
  printf("%ld threads were right\n", right);
  return right != threads;
}
