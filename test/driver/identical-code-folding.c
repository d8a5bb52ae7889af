// Two functions with the same code and different frame maps must stay two under --icf=all: the words of one are
// numbers, those of the other are addresses, which move along.
// RUN: %skeincc -O1 -ffunction-sections -fskein-stress=calls %s -Wl,--icf=all,--print-icf-sections -o %t > %t.folded
// RUN: FileCheck --check-prefix=FOLDED --allow-empty %s < %t.folded
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O1 -ffunction-sections -fskein-stress=calls -flto %s -Wl,--icf=all,--print-icf-sections -o %t > %t.folded
// RUN: FileCheck --check-prefix=FOLDED --allow-empty %s < %t.folded
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// FOLDED-NOT: .text.numbers
// FOLDED-NOT: .text.addresses
// CHECK: moves, {{.*}} 0 moves refused
// CHECK: 3, 3
#include <skein/skein.h>
#include <stdio.h>

__attribute__((noinline)) void visit(void *words) {
  skein_yield();
  __asm__ volatile("" ::"r"(words) : "memory");
}

__attribute__((noinline)) long numbers(long number) {
  long words[4] = {1, 2, number, 4};
  visit(words);
  return words[2];
}

__attribute__((noinline)) long *addresses(long *address) {
  long *words[4] = {(long *)1, (long *)2, address, (long *)4};
  visit(words);
  return words[2];
}

int main(void) {
  long three = 3;
  long first = numbers(3);
  printf("%ld, %ld\n", first, *addresses(&three));
}
