/* In a program without an unwinder a loop with polls can be cancelled, and skein_exit ends a thread from any depth. The
 * same holds for main, whose result is the program's status. */

// RUN: %skeincc -O2 -fskein-polls=loops %s -o %t
// RUN: env SKEIN_OPTIONS=workers=2 not %t 2>&1 | FileCheck %s
// RUN: %skeincc -O2 -fskein-polls=loops -fskein-stacks=growable %s -o %t.g
// RUN: env SKEIN_OPTIONS=workers=1 not %t.g 2>&1 | FileCheck %s

// CHECK: cancelled after {{[0-9]+}}
// CHECK-NEXT: depth 1000
// CHECK-NOT: went on

#include <skein/sync.h>
#include <stdio.h>

static volatile unsigned long count;
static int depth;

static void computes(void) {
  for (;;)
    count++;
}

static int descend(int left) {
  depth++;
  if (left == 1)
    skein_exit(0);
  return descend(left - 1) + 1;
}

static void exits(void) { printf("went on: %d\n", descend(1000)); }

int main(void) {
  skein_thread_t computer = skein_spawn(computes);
  skein_sleep_ns(3000000);
  if (skein_cancel(computer) || skein_join(computer))
    puts(skein_error_text());
  printf("cancelled after %lu\n", count);
  skein_join(skein_spawn(exits));
  printf("depth %d\n", depth);
  fflush(stdout);
  skein_exit(3);
}
