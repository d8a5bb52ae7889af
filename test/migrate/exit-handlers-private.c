/* Exit handlers see private variables. On node 0 they see main's, which has come back for that. On the other nodes they
 * see what their own constructors have left. If main could not come back, a handler on node 0 that uses one is told why
 * it cannot, and ends the run with status 70; one that uses none runs as ever. */

// RUN: %skeincc -O2 -fskein-globals=private -I%S/Inputs %s -o %t
// RUN: %python %S/Inputs/status.py 0 %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: %python %S/Inputs/status.py 70 %run -n 2 --timeout 30 %t stays 2>&1 | FileCheck %s --check-prefix=STAYS
// RUN: %python %S/Inputs/status.py 3 %run -n 2 --timeout 30 %t exits 2>&1 | FileCheck %s --check-prefix=EXITS
// CHECK-DAG: handler on node 0: 26
// CHECK-DAG: destructor on node 0: 26
// CHECK-DAG: destructor on node 1: 6
// CHECK-DAG: destructor on node 2: 6
// STAYS-DAG: skein[0]: variable `count` is private {{.*}} at_end {{.*}} main is, or ended, on another node
// STAYS-DAG: destructor on node 1: 26
// STAYS-DAG: another handler on node 0
// EXITS-DAG: handler on node 0: 16
// EXITS-DAG: destructor on node 1: 6

#include "check.h"
#include <pthread.h>
#include <skein/deaths.h>
#include <stdlib.h>
#include <string.h>

static int count = 5;

__attribute__((constructor)) static void start(void) { count++; }

__attribute__((destructor)) static void destroy(void) {
  printf("destructor on node %d: %d\n", skein_node(), count);
  fflush(stdout);
}

static void at_end(void) {
  printf("handler on node %d: %d\n", skein_node(), count);
  fflush(stdout);
}

static void uses_none(void) {
  printf("another handler on node %d\n", skein_node());
  fflush(stdout);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  skein_main_stays(1);
  atexit(at_end);
  atexit(uses_none); /* runs first */
  count += 10;
  CHECK(skein_push_self(1) == SKEIN_OK);
  if (!strcmp(what, "exits"))
    exit(3);
  pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  if (!strcmp(what, "stays"))
    pthread_mutex_lock(&held);
  count += 10;
  return 0;
}
