/* skein_push moves a thread that runs and never yields, at its next poll, and the locals it works on come along.
 * Without polls it says that the thread is running. */

// RUN: %skeincc -O2 -fskein-polls=loops -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=2 %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O2 -flto=thin -fskein-polls=loops -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=2,slice_ms=0 %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O2 -fskein-stacks=growable -fskein-polls=loops -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=2 %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=2 %run -n 2 --timeout 30 %t | FileCheck --check-prefix=WITHOUT %s
// CHECK: push: 0
// CHECK-NEXT: computed on node 1
// CHECK-NEXT: push: 0
// CHECK-NEXT: counted on node 1
// WITHOUT: push: {{[1-9]}}, skein_push: thread {{[0-9]+}} is running

#include "check.h"

static void turn_numbers(skein_shared volatile int *begun, skein_shared volatile int *to) {
  int numbers[16] = {0}, *last = &numbers[15];
  *begun = 1;
  while (skein_node() == 0 && *to != 77)
    for (int i = 0; i < 16; i++)
      numbers[i] += i;
  for (int i = 0; i < 15; i++)
    CHECK(numbers[i] / (i ? i : 1) == (i ? *last / 15 : 0));
  *to = skein_node();
}

/* A strip-mined loop and nothing else, which ends by itself after a while. */
static void count_bits(skein_shared volatile int *begun, skein_shared volatile int *to) {
  unsigned long sum = 0, bound = 20000000ul + (unsigned long)*to, *sums = &sum;
  *begun = 1;
  for (unsigned long i = 0; i != bound; i++)
    *sums += __builtin_popcountl(i ^ *sums);
  *to = skein_node() + (sum == 1);
}

static skein_thread_t start(void (*function)(skein_shared volatile int *, skein_shared volatile int *),
                            skein_shared volatile int *begun, skein_shared volatile int *to) {
  *begun = 0;
  skein_thread_t thread = skein_spawn(function, begun, to);
  while (*begun == 0) /* it runs on the other worker */
    skein_yield();
  return thread;
}

int main(void) {
  skein_shared volatile int *begun = skein_shared_alloc(0, sizeof(int)), *to = skein_shared_alloc(0, sizeof(int));
  skein_thread_t thread = start(turn_numbers, begun, to);
  int code = skein_push(thread, 1);
  printf("push: %d", code);
  if (code) {
    printf(", %s\n", skein_error_text());
    *to = 77;
    CHECK(skein_join(thread) == SKEIN_OK);
    return 0;
  }
  CHECK(skein_join(thread) == SKEIN_OK);
  printf("\ncomputed on node %d\n", *to);

  *to = 0;
  thread = start(count_bits, begun, to);
  printf("push: %d\n", skein_push(thread, 1));
  CHECK(skein_join(thread) == SKEIN_OK);
  printf("counted on node %d\n", *to);
  return 0;
}
