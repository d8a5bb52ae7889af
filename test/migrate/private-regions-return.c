/* Threads that allocate on one node and end on another give their addresses back: after many such threads, few
 * addresses were ever used. */

// RUN: %skeincc -O2 -fskein-heap=private -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 40 %t | FileCheck %s
// CHECK: addresses come back

#include "check.h"

enum { threads = 80, step = 256 << 10 };

static void visit(skein_shared uint64_t *where) {
  char *block = malloc(100);
  *where = (uint64_t)block;
  CHECK(skein_push_self(1) == SKEIN_OK);
  block = realloc(block, 3 << 20);
  block[0] = 1;
}

int main(void) {
  skein_shared uint64_t *where = skein_shared_alloc(0, sizeof *where);
  uint64_t low = UINT64_MAX, high = 0;
  skein_stealing_set(0);
  for (int i = 0; i < threads; i++) {
    CHECK(skein_join(skein_spawn(visit, where)) == SKEIN_OK);
    low = *where < low ? *where : low;
    high = *where > high ? *where : high;
  }
  printf("%s\n", high - low < (uint64_t)threads / 2 * step ? "addresses come back" : "addresses are lost");
  return 0;
}
