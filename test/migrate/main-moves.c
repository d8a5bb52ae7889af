/* main is a thread like others: it may leave node 0 and return on another node, and its status is the run's. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %python %S/Inputs/status.py 7 %run -n 3 --timeout 30 %t
// RUN: %python %S/Inputs/status.py 7 env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 2 --timeout 30 %t

#include "check.h"

static void noop(void) {}

int main(void) {
  int local[100], *pointer = local + 50;
  for (int i = 0; i < 100; i++)
    local[i] = i;
  for (int i = 0; i < 100; i++) {
    CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
    CHECK(*pointer == 50);
    CHECK(skein_join(skein_spawn(noop)) == SKEIN_OK);
  }
  CHECK(skein_push_self(skein_nodes() - 1) == SKEIN_OK);
  CHECK(skein_node() == skein_nodes() - 1);
  return 7;
}
