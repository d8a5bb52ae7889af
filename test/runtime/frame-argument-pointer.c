// Inline assembly that changes rbx takes LLVM's base register away from a function with an over-aligned local and a
// variable-length array. It then finds the arguments through r10, and the frame begins elsewhere than the map would
// say. Such a frame must stay where it is, with and without unwind information (the thread used to die); others of the
// unit move.
// RUN: %plain-skeincc -fskein-stress=calls -O0 %s -o %t 2>&1 | FileCheck --check-prefix=WARNED %s
// RUN: env SKEIN_OPTIONS=stress_report=on,unwind_check=1 %t 2>&1 | FileCheck %s
// RUN: %plain-skeincc -fskein-stress=calls -O2 -Wno-skein-pinned %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on,unwind_check=1 %t 2>&1 | FileCheck %s
// RUN: %plain-skeincc -fskein-stress=calls -Os -fno-asynchronous-unwind-tables -Wno-skein-pinned %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %plain-skeincc -fskein-stress=calls -O1 -fomit-frame-pointer -flto -Wno-skein-pinned %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on,unwind_check=1 %t 2>&1 | FileCheck %s
// WARNED: warning: a thread cannot migrate during this call: the frame of 'odd' has a shape that frame maps do not
// WARNED-NOT: the frame of 'even'
// CHECK: skein: stress: {{[1-9][0-9]*}} moves
// CHECK: `odd` {{.*}} cannot move: the frame has a shape that the maps cannot describe
// CHECK-NOT: `even` {{.*}} cannot move
// CHECK: even 7 7, odd 2 5
#include <skein/skein.h>
#include <stdio.h>

__attribute__((noinline)) static void touch(char *aligned, int *row) {
  aligned[0] = 1;
  row[0] = 2;
  skein_yield();
}

__attribute__((noinline, used)) int odd(long a1, long a2, long a3, long a4, int count, int *out, long a7, long *in_memory) {
  _Alignas(64) int aligned[16];
  int row[count];
  unsigned a = 0, b, c, d;
  aligned[3] = count;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
  touch((char *)aligned, row);
  *out = row[0] + (int)(*in_memory - a1 - a2 - a3 - a4 - a7);
  return aligned[3];
}

__attribute__((noinline)) static int even(int value) {
  _Alignas(64) int aligned[16];
  int row[value], *kept = &aligned[2];
  aligned[2] = value;
  touch((char *)&aligned[4], row);
  return *kept;
}

int main(void) {
  volatile int seven = 7, five = 5;
  int first = even(seven), out, second;
  long zero = 0;
  second = odd(0, 0, 0, 0, five, &out, 0, &zero);
  printf("even %d %d, odd %d %d\n", first, even(seven), out, second);
}
