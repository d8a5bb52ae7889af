/* A node that is stopped answers no heartbeat: after 3 s the others say so, the launcher kills it, and the run ends.
 * With heartbeats switched off (a debugger) it is waited for. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %python %S/Inputs/status.py 137 %run -n 3 --timeout 20 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=heartbeat_ms=0 %python %S/Inputs/status.py 0 %run -n 2 --timeout 20 %t wake
// CHECK-DAG: skein run: node 1 has given no sign of life, says node {{[02]}}
// CHECK-DAG: skein[0]: node 1 has given no sign of life{{.*}}; the run ends
// CHECK-DAG: skein[0]: node 1 had 1 of the threads born here, now lost: 2 (
// CHECK-DAG: skein[2]: node 1 has given no sign of life{{.*}}; the run ends

#include "check.h"

#include <signal.h>

static void stops(int wake) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  pid_t self = getpid();
  if (wake && fork() == 0) {
    sleep(5);
    kill(self, SIGCONT);
    _exit(0);
  }
  kill(self, SIGSTOP);
}

int main(int argc, char **argv __attribute__((unused))) {
  skein_stealing_set(0);
  CHECK(skein_join(skein_spawn(stops, argc > 1)) == SKEIN_OK);
  return 0;
}
