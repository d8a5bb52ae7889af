/* A function that is compiled as clang does it may make numbers of addresses, and does not tell when it does. A program
 * that has one keeps the addresses of all its stacks, also of threads that are nowhere near it: they move as long as a
 * stack keeps its address, and say otherwise what keeps them.
 */

// RUN: %plain-skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 2 --timeout 30 %t | FileCheck --check-prefix=STAYS %s
// RUN: %plain-skeincc -O2 -DTELLS %s -o %t.tells
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 2 --timeout 30 %t.tells | FileCheck %s
// CHECK: 0 (node 1)
// STAYS: {{[1-9]}}: skein_push_self: {{.*}}an address of its stack may have been made into a number in `hash`
// STAYS-SAME: moves-same-numbers.c:{{[0-9]+}}), compiled with moves=same
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>

#ifdef TELLS
#undef SKEIN_MOVES_SAME
#define SKEIN_MOVES_SAME __attribute__((noinline))
#endif

struct both {
  union {
    void *address;
    uint64_t number;
  };
};
SKEIN_MOVES_SAME uint64_t hash(const struct both *of, uint64_t *to) { return *to = of->number * 31; }

static void elsewhere(void) {
  const int code = skein_push_self(1);
  if (code)
    printf("%d: %s\n", code, skein_error_text());
  else
    printf("0 (node %d)\n", skein_node());
}

int main(void) {
  skein_join(skein_spawn(elsewhere));
  return 0;
}
