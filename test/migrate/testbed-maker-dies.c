/* The decision makers of two groups die. Another node of each takes over, shares the load within its group, and what
 * crosses groups. */

// RUN: %skeincc -O2 -fskein-polls=loops -I%S/Inputs %s -o %t
// RUN: rm -f %t.log
// RUN: env SKEIN_OPTIONS=policy=testbed,policy_group=3,workers=1,deaths=survive,policy_report=on,report=%t.log \
// RUN:   %run -n 6 --timeout 60 %t 2>/dev/null | FileCheck %s
// CHECK: 2 nodes have died
// CHECK: all have computed the same
// RUN: FileCheck --check-prefix=LOG %s < %t.log
// LOG-NOT: skein[{{[25]}}]: move work
// LOG: skein[1]: move work of {{[0-9]+}} threads from 0 to 1 to share it (mig
// RUN: FileCheck --check-prefix=ACROSS %s < %t.log
// ACROSS: skein[1]: move work of {{[0-9]+}} threads from {{[01]}} to {{[34]}} to share it with group 1

#include "check.h"
#include <signal.h>
#include <skein/deaths.h>
#include <skein/sync.h>

enum { threads = 16 };

static void dies(int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  raise(SIGKILL);
}

static uint64_t computes(uint64_t rounds) {
  uint64_t value = 1;
  for (uint64_t i = 0; i < rounds; i++)
    value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

int main(void) {
  skein_main_stays(1);
  skein_spawn(dies, 2);
  skein_spawn(dies, 5);
  while (skein_deaths() < 2)
    skein_sleep_ns(1000000);
  printf("%d nodes have died\n", (int)skein_deaths());
  skein_thread_t of[threads];
  for (int i = 0; i < threads; i++)
    of[i] = skein_spawn(computes, (uint64_t)100000000);
  const uint64_t expected = computes(100000000);
  int same = 0;
  for (int i = 0; i < threads; i++) {
    uint64_t value = 0;
    CHECK(skein_join_result(of[i], &value) == SKEIN_OK);
    same += value == expected;
  }
  printf(same == threads ? "all have computed the same\n" : "they have computed different things\n");
  return 0;
}
