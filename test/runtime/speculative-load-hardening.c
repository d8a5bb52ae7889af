// With -mspeculative-load-hardening each function keeps in the sign of the stack pointer whether the processor has
// guessed wrong, combines what it loads with that, and looks below its stack pointer for the return address of the
// function it has called. A move changes none of these, so threads move, and calls by pointer go through thunks.
// RUN: %skeincc -O0 -mspeculative-load-hardening -fskein-stress=calls %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O1 -mspeculative-load-hardening -fskein-stress=calls %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O3 -mspeculative-load-hardening -fskein-polls=loops -fskein-stress=calls %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O0 -mspeculative-load-hardening -fskein-stacks=growable %s -o %t && %t | FileCheck --check-prefix=RESULT %s
// RUN: %skeincc -O2 -mspeculative-load-hardening -fskein-stacks=growable -fskein-stress=calls %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O2 -mretpoline -fskein-stacks=growable %s -o %t && %t | FileCheck --check-prefix=RESULT %s
// CHECK: skein: stress: {{[1-9][0-9]*}} moves, {{.*}} 0 moves refused
// CHECK: 1044 21 5
// RESULT: 1044 21 5
#include <setjmp.h>
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

struct node {
  struct node *next;
  long value;
};
__attribute__((noinline)) static long sum(struct node *n) {
  long s = 0;
  for (; n; n = n->next) {
    s += n->value;
    skein_yield();
  }
  return s;
}
static long (*volatile chosen)(struct node *) = sum;

__attribute__((noinline)) static long deep(int depth, struct node *list) {
  char room[100];
  struct node here = {list, depth};
  memset(room, 'a' + depth % 20, sizeof room - 1);
  room[99] = 0;
  if (depth == 0)
    return chosen(&here) + (long)strlen(room);
  return deep(depth - 1, &here) + (room[50] == 'a' + depth % 20);
}

__attribute__((noinline)) static int jumps(int *count) {
  jmp_buf back;
  int values[3] = {1, 5, 15};
  if (setjmp(back) == 0)
    ++*count;
  if (++*count < 5) {
    skein_yield();
    longjmp(back, 1);
  }
  return values[0] + values[1] + values[2];
}

int main(void) {
  int count = 0;
  long all = deep(42, 0);
  int some = jumps(&count);
  printf("%ld %d %d\n", all, some, count);
}
