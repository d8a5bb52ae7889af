/* Runs end as soon as they begin. No node is still connecting to another one, none is forgotten, and nothing is printed
 * except how the run was ended. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %python %S/Inputs/ends_at_once.py %run %t

#include "check.h"

static void leave(int status) { exit(status); }

int main(int argc, char **argv) {
  CHECK(argc == 2);
  if (strcmp(argv[1], "exit") == 0)
    exit(7);
  if (strcmp(argv[1], "far-exit") == 0) {
    struct skein_attributes there = {.node = SKEIN_ON(skein_nodes() - 1)};
    skein_join(skein_spawn_with(&there, leave, 7));
  }
  return 7;
}
