/* exit() on any node ends the run on all nodes, with its status; abort() counts as a death. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %python %S/Inputs/status.py 3 env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 20 %t exit 1 3
// RUN: %python %S/Inputs/status.py 0 env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 20 %t exit 2 0
// RUN: %python %S/Inputs/status.py 5 env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 20 %t exit 0 5
// RUN: %python %S/Inputs/status.py 134 env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 20 %t abort 1 0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABORT
// RUN: %python %S/Inputs/status.py 9 env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 20 %t _exit 1 9 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BARE
// RUN: %python %S/Inputs/status.py 7 env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 20 %t handler 1 7 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HANDLER --allow-empty
// RUN: %python %S/Inputs/status.py 7 env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 20 %t handler 0 7 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HANDLER --allow-empty
// HANDLER-NOT: is killed
// ABORT-DAG: skein run: node 1 was killed by signal 6 (Aborted)
// ABORT-DAG: skein[0]: node 1 was killed by signal 6 (Aborted); the run ends
// ABORT-DAG: skein[2]: node 1 was killed by signal 6 (Aborted); the run ends
// BARE: skein run: node 1 ended with status 9

#include "check.h"

#include <skein/messages.h>

SKEIN_HANDLER(exit_there, message) { exit(*(const int *)message->data); }

static void ender(int how, int node, int status) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  usleep(100000);
  if (how == 'e')
    exit(status);
  if (how == '_')
    _exit(status);
  abort();
}

int main(int argc, char **argv) {
  CHECK(argc == 4);
  int how = argv[1][0], status = atoi(argv[3]);
  if (how == 'h')
    skein_call(atoi(argv[2]), &exit_there, &status, sizeof status, NULL, 0, NULL);
  skein_thread_t thread = skein_spawn(ender, how, atoi(argv[2]), status);
  if (atoi(argv[2]) == 0)
    skein_join(thread);
  while (skein_push(thread, 1) != SKEIN_ETHREAD)
    skein_yield(); /* until it has gone */
  compute(60);     /* the thread that ends the run does not wait for this one */
  return 0;
}
