/* The start of a run: a node that does not join is reported after 5 s, and ends the run after start_s. A node that dies
 * is not waited for with deaths=survive. A node that runs another build is reported, and so is a program that has
 * nothing of Skein's. */

// RUN: %skeincc -O2 %s -o %t
// RUN: %skeincc -O1 -DOTHER %s -o %t.other
// RUN: env SKEIN_OPTIONS=start_s=6 %python %root/test/migrate/Inputs/status.py 70 %run -n 3 --timeout 30 \
// RUN:   %python %S/Inputs/as_node.py 1 stop -- %t 2>&1 | FileCheck %s --check-prefix=STOPPED
// RUN: env SKEIN_OPTIONS=deaths=survive %python %root/test/migrate/Inputs/status.py 0 %run -n 3 --timeout 30 \
// RUN:   %python %S/Inputs/as_node.py 1 kill -- %t 2>&1 | FileCheck %s --check-prefix=SURVIVED
// RUN: %python %root/test/migrate/Inputs/status.py 137 %run -n 3 --timeout 30 \
// RUN:   %python %S/Inputs/as_node.py 1 kill -- %t 2>&1 | FileCheck %s --check-prefix=KILLED
// RUN: %run -n 3 --timeout 30 %python %S/Inputs/as_node.py 1 instead %t.other -- %t 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BUILDS
// RUN: %run -n 3 true 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: %run -n 2 sleep 6 2>&1 | FileCheck %s --check-prefix=SLOW
// STOPPED: the run has not begun after 5 s: node 1 (process {{[0-9]+}}) has not joined: it is stopped
// STOPPED: the run has not begun within 6 s (SKEIN_OPTIONS=start_s=), and ends: node 1 (process {{[0-9]+}}) has not joined
// STOPPED-NOT: main is here
// SURVIVED-DAG: skein run: node 1 was killed by signal 9 (Killed)
// SURVIVED-DAG: skein[0]: node 1 was killed by signal 9 (Killed); the run goes on without it
// SURVIVED-DAG: skein[2]: node 1 was killed by signal 9 (Killed); the run goes on without it
// SURVIVED-DAG: main is here; to node 1: 4; to node 2: 0
// KILLED: skein run: node 1 was killed by signal 9 (Killed)
// KILLED-NOT: main is here
// BUILDS-DAG: skein[1]: this node runs another build of the program than node 0: build-id {{[0-9a-f]+}} there, {{[0-9a-f]+}} here
// BUILDS-DAG: main is here; to node 1: {{[1-9]}}
// FOREIGN: no node has joined the run: true was not linked by skeincc, or started no program that was. It ran 3 times
// SLOW: no node has joined the run after 5 s (sleep is perhaps no program of skeincc); node 0: it sleeps

#include <skein/skein.h>
#include <stdio.h>

static int visit(int node) {
  int code = skein_push_self(node);
  if (code == SKEIN_OK)
    skein_push_self(0);
  return code;
}

static void visits(void) {
  int one = visit(1), two = visit(2);
  printf("main is here; to node 1: %d; to node 2: %d\n", one, two);
#ifdef OTHER
  printf("this is another build\n");
#endif
}

int main(void) { return skein_join(skein_spawn(visits)); }
