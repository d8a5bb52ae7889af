/* A run that is halted for checkpoints, which are not made: what the nodes say if a thread does not come to a migration
 * point, and what a death does meanwhile. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %python %S/Inputs/halting.py --every 300 --words %build 2 %t stubborn | FileCheck --check-prefix STUBBORN %s
// STUBBORN: the sum is 1999000
// STUBBORN: said: node 1 waits for threads to stop: thread {{[0-9.]+}} runs `compute` on worker 0 and has not come to a
// STUBBORN-SAME: migration point for 1 s (loops have some with -fskein-polls=loops)
//
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive %python %S/Inputs/halting.py --kill %build 3 %t deaths 2>%t.log | FileCheck \
// RUN:   --check-prefix SURVIVE %s
// RUN: FileCheck --check-prefix LOG %s < %t.log
// SURVIVE: 20 threads have ended, 10 are lost
// SURVIVE: halted often enough
// LOG: node 2 was killed; the run goes on without it
//
// RUN: not %python %S/Inputs/halting.py --kill %build 3 %t deaths 2>%t.end | FileCheck --check-prefix END %s
// RUN: FileCheck --check-prefix ENDS %s < %t.end
// END-DAG: the death of a node has ended node 0
// END-DAG: the death of a node has ended node 1
// ENDS: node 2 was killed; the run ends
#include <skein/deaths.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Without polls. */
static long compute(double seconds) {
  const double end = now() + seconds;
  long sum = 0;
  while (now() < end) {
    sum = 0;
    for (long i = 0; i < 2000; i++)
      sum += i;
  }
  return sum;
}

static long wait(int turns) {
  for (int i = 0; i < turns; i++)
    skein_sleep_ns(10000000);
  return turns;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "stubborn") == 0) {
    wait(10);
    const struct skein_attributes there = {.node = SKEIN_ON(1)};
    long sum = 0;
    if (skein_join_result(skein_spawn_with(&there, compute, 2.5), &sum) != SKEIN_OK)
      return 1;
    wait(70);
    printf("the sum is %ld\n", sum);
    return 0;
  }
  skein_thread_t threads[30];
  int ended = 0, lost = 0;
  for (int i = 0; i < 30; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON(i % 3)};
    threads[i] = skein_spawn_with(&there, wait, 100);
  }
  for (int i = 0; i < 30; i++) {
    long turns = 0;
    if (skein_join_result(threads[i], &turns) == SKEIN_OK)
      ended += turns == 100;
    else
      lost++;
  }
  printf("%d threads have ended, %d are lost\n", ended, lost);
  return 0;
}
