// Arguments in vector registers of 256 and 512 bits survive a growth in front of the function that gets them.
// RUN: %skeincc -O1 -mavx2 -fskein-stacks=growable %s -o %t && env SKEIN_OPTIONS=grow_first=1K,grow_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O0 -mavx512f -fskein-stacks=growable %s -o %t && env SKEIN_OPTIONS=grow_first=1K,grow_report=on %t 2>&1 | FileCheck %s
// REQUIRES: avx512
// UNSUPPORTED: sanitized
// CHECK-DAG: all as passed
// CHECK-DAG: grow: stacks grew {{[2-9]|[1-9][0-9]+}} times, to {{[1-9][0-9]+}} KiB at most
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

typedef double wide __attribute__((vector_size(32)));
typedef double wider __attribute__((vector_size(64)));

static volatile int all = 1;

__attribute__((noinline)) static wide with_avx(wide a, int depth, wide b) {
  volatile char frame[400];
  frame[depth % 400] = 1;
  for (int i = 0; i < 4; i++)
    if (a[i] != depth + i || b[i] != i * 1000.0 - depth)
      all = 0;
  if (depth == 0)
    return a;
  wide back = with_avx(a - 1.0, depth - 1, b + 1.0);
  return back + frame[depth % 400] * 1.0;
}

#ifdef __AVX512F__
__attribute__((noinline)) static wider with_avx512(wider a, int depth, wider b) {
  volatile char frame[400];
  frame[depth % 400] = 1;
  for (int i = 0; i < 8; i++)
    if (a[i] != depth + i || b[i] != i * 1000.0 - depth)
      all = 0;
  if (depth == 0)
    return a;
  wider back = with_avx512(a - 1.0, depth - 1, b + 1.0);
  return back + frame[depth % 400] * 1.0;
}

#endif

static void thread(void) {
  wide a = {200, 201, 202, 203}, b = {-200, 800, 1800, 2800};
  if (with_avx(a, 200, b)[3] != 203)
    all = 0;
#ifdef __AVX512F__
  wider c = {200, 201, 202, 203, 204, 205, 206, 207}, d = {-200, 800, 1800, 2800, 3800, 4800, 5800, 6800};
  if (with_avx512(c, 200, d)[7] != 207)
    all = 0;
#endif
}

int main(void) {
  int failed = skein_join(skein_spawn(thread));
  puts(all ? "all as passed" : "an argument is not what was passed");
  return failed;
}
