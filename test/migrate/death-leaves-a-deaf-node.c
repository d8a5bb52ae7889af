/* A node that is killed while it writes into another one's queue of shared memory closes that queue: the survivor then
 * hears no other node. It must be found, and the run go on without it, long before three whole silences are over. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive,fault=deaf %python %S/Inputs/status.py 0 \
// RUN:   %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// CHECK-DAG: skein run: node 2 was killed by signal 9 (Killed)
// CHECK-DAG: skein run: node 1 hears nobody any more
// CHECK-DAG: both are known to be dead in time

#include "check.h"
#include <skein/deaths.h>

#include <signal.h>
#include <time.h>

static void dies(void) {
  CHECK(skein_push_self(2) == SKEIN_OK);
  kill(getpid(), SIGKILL);
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void) {
  CHECK(skein_spawn(dies) != 0);
  while (skein_deaths() == 0)
    usleep(1000), skein_yield();
  const double begin = now_s();
  while (skein_deaths() == 1)
    usleep(1000), skein_yield();
  const double passed = now_s() - begin;
  if (passed > 2.5 && passed < 6.5) /* a silence is 3 s; three are 9 s */
    printf("both are known to be dead in time\n");
  else
    printf("the second death was known %.1f s after the first\n", passed);
  return 0;
}
