/* The run ends when main has returned and no thread lives on any node, with main's status; it ends not sooner, and not
 * much later. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: not %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any not %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=net_delay_us=1000,seed=5,stacks=relocate,image=any not %run -n 3 --timeout 30 %t \
// RUN:   2>&1 | FileCheck %s
// RUN: %python %S/Inputs/status.py 42 %run -n 3 --timeout 30 %t
// RUN: %python %S/Inputs/status.py 0 %run -n 3 --timeout 30 %t 0
// CHECK: main returns on node 0 with 1 generation to come
// CHECK: the last of 200 generations ended
// CHECK-NOT: skein

#include "check.h"

/* Each generation spawns the next on another node and ends: at every moment one or two threads live. */
static void generation(int number) {
  CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
  if (number < 200)
    CHECK(skein_spawn(generation, number + 1));
  else
    printf("the last of %d generations ended\n", number);
  if (number % 50 == 0)
    usleep(30000); /* longer than the time between rounds of counting at first */
}

int main(int argc, char **argv) {
  CHECK(skein_spawn(generation, 1));
  printf("main returns on node %d with 1 generation to come\n", skein_node());
  return argc > 1 ? atoi(argv[1]) : 42;
}
