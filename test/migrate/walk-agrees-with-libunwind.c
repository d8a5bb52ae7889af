/* The frame walk by maps finds the frames that libunwind finds by .eh_frame: recursion, callee-saved registers, a frame
 * pointer (VLA), a base pointer (VLA and over-alignment), variadic functions, more than six arguments.
 *
 * RUN: %skeincc -O0 -fskein-stress=calls %s -o %t.0 && env SKEIN_OPTIONS=unwind_check=1 %t.0 2>&1 | FileCheck %s
 * RUN: %skeincc -O2 -fskein-stress=calls %s -o %t.2 && env SKEIN_OPTIONS=unwind_check=1 %t.2 2>&1 | FileCheck %s
 * RUN: %skeincc -O2 -fno-omit-frame-pointer -fskein-stress=calls %s -o %t.f
 * RUN: env SKEIN_OPTIONS=unwind_check=1 %t.f 2>&1 | FileCheck %s
 * RUN: %skeincc -Os -fskein-stress=calls %s -o %t.s && env SKEIN_OPTIONS=unwind_check=1 %t.s 2>&1 | FileCheck %s
 *
 * Through an image, every fifth move; between processes:
 * RUN: env SKEIN_OPTIONS=unwind_check=5,stress_via=image %t.s 2>&1 | FileCheck --check-prefix=IMAGE %s
 * RUN: env SKEIN_OPTIONS=unwind_check=1,walk=on,walk_every=1 %run -n 2 %t.2 2>&1 | FileCheck --check-prefix=NODES %s
 *
 * And by hand-made maps:
 * RUN: %clang -O2 -I%root/runtime -I%root/runtime/include -c %S/../handlowered/frames.c -o %t.frames.o
 * RUN: %clang -c %S/../handlowered/Inputs/frames.S -o %t.lowered.o
 * RUN: %skeincc %t.frames.o %t.lowered.o -o %t.h
 * RUN: env SKEIN_OPTIONS=unwind_check=1 %t.h 2>&1 | FileCheck %s --check-prefix=LOWERED
 *
 * A frame whose .eh_frame is missing is a disagreement, which is named:
 * RUN: %skeincc -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fskein-stress=calls %s -o %t.n
 * RUN: not env SKEIN_OPTIONS=unwind_check=1 %t.n 2>&1 | FileCheck --check-prefix=DISAGREE %s
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
// CHECK-DAG: unwind: {{[0-9][0-9][0-9]+}} walks, {{[0-9][0-9][0-9]+}} frames agree
// IMAGE-DAG: 55 5 3 352 17
// IMAGE-DAG: unwind: {{[0-9][0-9]+}} walks, {{[0-9]+}} frames agree
// NODES-DAG: 55 5 3 352 17
// NODES-DAG: skein[0]: unwind: {{[0-9]+}} walks, {{[0-9]+}} frames agree
// NODES-DAG: skein[1]: unwind: {{[0-9]+}} walks, {{[0-9]+}} frames agree
// LOWERED: unwind: {{[0-9][0-9][0-9]+}} walks, {{[0-9][0-9][0-9][0-9]+}} frames agree
// DISAGREE: skein: unwind_check: before a move, thread 1, frame {{[0-9]+}} `{{[a-z]+}}`
// ({{.*}}walk-agrees-with-libunwind.c:{{[0-9]+}}): the frame maps and .eh_frame disagree on
