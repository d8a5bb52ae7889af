/* A stopped node is not missed by any other if it is the last one, or if all others are stopped, too. The launcher
 * notices by itself and ends the run. It leaves alone a last node that sleeps, a whole run that is stopped with ^Z and
 * goes on, a node that a debugger stops (heartbeat_ms=0), and a run of one node, which may be stopped like any other
 * program. */

// RUN: %skeincc -O2 %s -o %t
// RUN: %python %S/Inputs/stopped.py %build/bin/skein %t | FileCheck %s
// CHECK: last: status 137: skein run: node 0 is stopped, and no node is left to miss it
// CHECK: all: status 137: skein run: node 0 is stopped, and no node is left to miss it
// CHECK: sleeps: status 0: main is through
// CHECK: job: status 0: main is through
// CHECK: debugged: status 0: main is through
// CHECK: alone: status 0: main is through

#include <skein/skein.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void say_process(int node) {
  skein_push_self(node);
  printf("node %d: process %d\n", skein_node(), (int)getpid());
  fflush(stdout);
}

int main(void) {
  skein_stealing_set(0);
  for (int node = skein_nodes() - 1; node >= 0; node--)
    skein_join(skein_spawn(say_process, node));
  for (time_t end = time(NULL) + 9; time(NULL) < end;)
    usleep(100000);
  printf("main is through\n");
  return 0;
}
