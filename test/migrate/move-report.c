/* move_report=on and `skein run --report`: each node says how many threads moved and why others stayed, the most
 * frequent reason first, whether the thread itself, its parent or a thief wanted to move them. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,steal=off %run -n 2 --report --timeout 30 %t > %t.out 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: env SKEIN_OPTIONS=workers=1,steal=off,move_report=on,report=%t.file %run -n 2 --timeout 30 %t
// RUN: FileCheck %s < %t.file
// RUN: env SKEIN_OPTIONS=workers=1,steal=off %run -n 2 --timeout 30 %t > %t.out 2>&1
// RUN: FileCheck --allow-empty --check-prefix=SILENT %s < %t.out

// CHECK-DAG: node 0: 2 threads left, 2 came (2 at the same address, 0 relocated), 4 moves refused
// CHECK-DAG: node 0: refused 3 times: `hold_heap` {{.*}} holds a pointer to the process heap ({{.*}}) (0x...)
// CHECK-DAG: node 0: refused 1 times: `wait_with_heap` {{.*}} holds a pointer to the process heap
// CHECK-DAG: node 1: 2 threads left, 2 came (2 at the same address, 0 relocated), 0 moves refused
// SILENT-NOT: moves:

#include "check.h"

static void hold_heap(int times) {
  volatile char *memory = malloc(100);
  CHECK(memory);
  for (int i = 0; i < times; i++)
    CHECK(skein_push_self(1) == SKEIN_EPOINTER);
  memory[0] = 0;
  free((void *)memory);
}

static volatile int holds, pushed;

static void wait_with_heap(void) {
  volatile char *memory = malloc(100);
  CHECK(memory);
  holds = 1;
  while (!pushed)
    skein_yield();
  memory[0] = 0;
  free((void *)memory);
}

static void there_and_back(void) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK(skein_push_self(0) == SKEIN_OK);
}

int main(void) {
  skein_thread_t holder = skein_spawn(wait_with_heap);
  while (!holds)
    skein_yield();
  CHECK(skein_push(holder, 1) == SKEIN_EPOINTER);
  pushed = 1;
  CHECK(skein_join(holder) == SKEIN_OK);
  CHECK(skein_join(skein_spawn(hold_heap, 3)) == SKEIN_OK);
  for (int i = 0; i < 2; i++)
    CHECK(skein_join(skein_spawn(there_and_back)) == SKEIN_OK);
  CHECK(strcmp(skein_error_name(SKEIN_EPOINTER), "SKEIN_EPOINTER") == 0);
  return 0;
}
