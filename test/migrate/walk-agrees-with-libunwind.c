/* The frame walk by maps finds the frames that libunwind finds by .eh_frame: recursion, callee-saved registers, a frame
 * pointer (VLA), a base pointer (VLA and over-alignment), variadic functions, more than six arguments.
 *
 * RUN: %clang++ -std=c++20 -O1 -fno-exceptions -fno-rtti -D_GNU_SOURCE -I%root/runtime -I%root/runtime/include \
 * RUN:   -c %S/Inputs/unwind_check.cpp -o %t.check.o
 * RUN: %skeincc -O0 -fskein-stress=calls %s %t.check.o -o %t.0 -lunwind && %t.0 2>&1 | FileCheck %s
 * RUN: %skeincc -O2 -fskein-stress=calls %s %t.check.o -o %t.2 -lunwind && %t.2 2>&1 | FileCheck %s
 * RUN: %skeincc -O2 -fno-omit-frame-pointer -fskein-stress=calls %s %t.check.o -o %t.f -lunwind
 * RUN: %t.f 2>&1 | FileCheck %s
 * RUN: %skeincc -Os -fskein-stress=calls %s %t.check.o -o %t.s -lunwind && %t.s 2>&1 | FileCheck %s
 *
 * And by hand-made maps:
 * RUN: %clang -O2 -I%root/runtime -I%root/runtime/include -c %S/../handlowered/frames.c -o %t.frames.o
 * RUN: %clang -c %S/../handlowered/Inputs/frames.S -o %t.lowered.o
 * RUN: %skeincc %t.frames.o %t.lowered.o %t.check.o -o %t.h -lunwind
 * RUN: %t.h 2>&1 | FileCheck %s --check-prefix=LOWERED
 */
#include <stdarg.h>
#include <stdio.h>

__attribute__((noinline)) static long plain(long *out, long n) {
  long mine = 0;
  if (n > 0)
    plain(&mine, n - 1);
  *out += mine + n;
  return mine;
}

__attribute__((noinline)) static long busy(long a, long b, long c, long d, long e, long f, long g, long *h) {
  long x = a * b, y = c * d, z = e * f, w = a ^ g;
  plain(h, 2);
  x += y;
  plain(h, 1);
  return x * y + z * w + *h;
}

__attribute__((noinline)) static long variable(int n) {
  long array[n];
  for (int i = 0; i < n; i++)
    array[i] = i;
  plain(&array[n / 2], 2);
  return array[n / 2];
}

__attribute__((noinline)) static long aligned(int n) {
  _Alignas(128) long block[16] = {0};
  char text[n];
  text[0] = 1;
  plain(block, 2);
  return block[0] + text[0] + variable(n);
}

__attribute__((noinline)) static long sum(int n, ...) {
  va_list list;
  va_start(list, n);
  long result = 0;
  for (int i = 0; i < n; i++)
    plain(va_arg(list, long *), i);
  va_end(list);
  return result + n;
}

int main(void) {
  long a = 0, b = 0, c = 0;
  plain(&a, 10);
  long d = busy(1, 2, 3, 4, 5, 6, 7, &b);
  long e = aligned(20);
  sum(3, &a, &b, &c);
  printf("%ld %ld %ld %ld %ld\n", a, b, c, d, e);
  return 0;
}

// CHECK-DAG: 55 5 3 352 17
// CHECK-DAG: unwind: 97 walks, 496 frames agree
// LOWERED: unwind: 261 walks, 11761 frames agree
