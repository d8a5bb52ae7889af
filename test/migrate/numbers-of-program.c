// A number that is made of an address of the program is right where the program lies at the same address. If it does
// not, no thread leaves its node from then on, not even one that has nothing to do with the number. Before that all may
// leave.
//
// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %t same | FileCheck %s --check-prefix=SAME
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 2 %t same | FileCheck %s --check-prefix=SAME
// RUN: env SKEIN_OPTIONS=steal=off,image=any %run -n 2 %t any | FileCheck %s --check-prefix=ANY
// RUN: env SKEIN_OPTIONS=steal=off,image=any,stacks=relocate %run -n 2 %t any | FileCheck %s --check-prefix=ANY
//
// SAME: before 0, 0, after 0, 0, another 0
// ANY: before 0, 0, after [[CODE:[1-9][0-9]*]], [[CODE]], another [[CODE]]
// ANY-NEXT: an address of the program was made into a number in `hash` ({{.*}}numbers-of-program.c:[[#@LINE+9]])
// ANY-SAME: and the program or a library lies elsewhere on that node
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t kept;
__attribute__((noinline)) static void hash(void *f) { kept = (uintptr_t)f * UINT64_C(0x9e3779b97f4a7c15); }

static int another(void) { return skein_push_self(1); }

int main(int count, char **arguments) {
  int there = skein_push_self(1), back = skein_push_self(0);
  hash((void *)main);
  int after = skein_push_self(1), text_of = after;
  char text[400] = "";
  if (text_of)
    strncpy(text, skein_error_text(), sizeof text - 1);
  int home = after ? after : skein_push_self(0);
  int result = 1;
  skein_join_result(skein_spawn(another), &result);
  printf("before %d, %d, after %d, %d, another %d\n", there, back, after, home, result);
  if (text_of)
    printf("%s\n", text);
  return count != 2 || (strcmp(arguments[1], "same") == 0) != (after == 0);
}
