// Shared memory belongs to no heap, so its allocations get no type of a heap's block. With -flto such a type made the
// module invalid.
// RUN: %skeincc -O0 -flto %s -o %t && %skein run -n 2 %t | FileCheck %s
// RUN: %skeincc -O2 -flto=thin %s -o %t && %skein run -n 2 %t | FileCheck %s
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t && %skein run -n 2 %t | FileCheck %s
#include <skein/heap.h>
#include <skein/shared.h>
#include <stdio.h>

static skein_shared void *allocate(int node, size_t bytes) { return skein_shared_alloc(node, bytes); }

int main(void) {
  skein_shared long *one = skein_shared_alloc(1, sizeof *one);
  skein_shared long *two = (skein_shared long *)allocate(0, 4 * sizeof *two);
  long *plain = skein_malloc(sizeof *plain);
  *plain = 40, *one = 1, two[3] = 1;
  // CHECK: 42
  printf("%ld\n", *plain + *one + two[3]);
  skein_free(plain);
  return 0;
}
