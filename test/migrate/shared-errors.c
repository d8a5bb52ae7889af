/* An access by message that meets no block in use ends its thread, with a message that names the block, and the others
 * go on. So does a node that has no room left, with an error for the thread that asked. */

// RUN: %skeincc -O2 -I%S/Inputs -I%root/runtime %s -o %t
// RUN: env SKEIN_OPTIONS=shared=remote,shared_most=64M %run -n 2 --timeout 30 %t 2>&1 | FileCheck %s
// CHECK-DAG: thread 2 read 4 bytes {{.*}}: the block of 400 bytes at 0x{{[0-9a-f]+}} has been freed; the thread ends
// CHECK-DAG: thread 3 wrote 4 bytes {{.*}}: that is 40 bytes behind the end of the block of 400 bytes at 0x{{.*}} ends
// CHECK-DAG: thread 4 read 4 bytes of shared memory at 0x1000: that belongs to no node of this run; the thread ends
// CHECK-DAG: thread 5 operated atomically on 8 bytes {{.*}}: an atomic operation needs an aligned word
// CHECK-DAG: no room: skein_shared_alloc: node 1 has no room for 1073741824 bytes
// CHECK-DAG: freed twice: skein_shared_free(0x{{[0-9a-f]+}}): the block of 400 bytes has been freed before
// CHECK-DAG: inside: {{.*}}: it is not the begin of a block {{.*}}: it lies 4 bytes inside the one of 400 bytes
// CHECK: the others went on

#include "abi/entry_points.h"
#include "check.h"

static void reads(skein_shared int *at, volatile skein_shared int *result) {
  *result = 1;
  int value = *at;
  *result = 2 + value; /* not reached */
}

static void writes(skein_shared int *at, volatile skein_shared int *result) {
  *result = 1;
  *at = 7;
  *result = 2;
}

static void counts(uint64_t at, volatile skein_shared int *result) {
  *result = 1;
  __skein_shared_atomic(at, 1, 0, SKEIN_ATOMIC_ADD | 8 << 8);
  *result = 2;
}

static void works(skein_shared int *sum) {
  for (int i = 0; i < 1000; i++)
    *sum += i;
}

int main(void) {
  skein_stealing_set(0);
  skein_shared int *freed = skein_shared_alloc(1, 400), *block = skein_shared_alloc(1, 400);
  skein_shared int *results = skein_shared_alloc(0, 4 * sizeof(int)), *sum = skein_shared_alloc(1, sizeof(int));
  CHECK(skein_shared_free(freed) == SKEIN_OK);
  skein_thread_t threads[5] = {
      skein_spawn(reads, freed + 3, results),
      skein_spawn(writes, block + 110, results + 1),
      skein_spawn(reads, (skein_shared int *)0x1000, results + 2),
      skein_spawn(counts, (uint64_t)block + 4, results + 3),
      skein_spawn(works, sum),
  };
  for (int i = 0; i < 5; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  for (int i = 0; i < 4; i++)
    CHECK(results[i] == 1);
  CHECK(*sum == 999 * 500);
  CHECK(!skein_shared_alloc(1, (size_t)1 << 30));
  printf("no room: %s\n", skein_error_text());
  CHECK(skein_shared_alloc(1, (size_t)1 << 20));
  CHECK(skein_shared_free(freed) == SKEIN_EPOINTER);
  printf("freed twice: %s\n", skein_error_text());
  CHECK(skein_shared_free(block + 1) == SKEIN_EPOINTER);
  printf("inside: %s\n", skein_error_text());
  puts("the others went on");
  return 0;
}
