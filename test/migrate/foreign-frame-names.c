/* A refusal names the frame that is in the way and the function that called it, also where neither has a symbol at
 * hand: qsort compares in a nameless function of libc, and `sorter` has no maps of its own since it calls nothing that
 * migrates.
 *
 * RUN: %clang -O1 -c %S/Inputs/foreign.c -o %t.foreign.o
 * RUN: %skeincc -O0 -fskein-stress=calls %s %t.foreign.o -o %t.0
 * RUN: env SKEIN_OPTIONS=stress_report=on %t.0 2>&1 | FileCheck %s
 * RUN: %skeincc -O2 -fskein-stress=calls %s %t.foreign.o -o %t.2
 * RUN: env SKEIN_OPTIONS=stress_report=on %t.2 2>&1 | FileCheck %s
 * RUN: %skeincc -O2 -fno-plt -fskein-stress=calls %s %t.foreign.o -o %t.n
 * RUN: env SKEIN_OPTIONS=stress_report=on %t.n 2>&1 | FileCheck %s
 *
 * The address sanitizer puts a function of its own before qsort.
 * UNSUPPORTED: sanitized
 */
#include <stddef.h>
#include <stdio.h>

/* Although it is declared by hand, it is the C library's. */
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));

int call_back(int (*function)(int *), int *argument);

__attribute__((noinline)) static int hop(int value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}

static int compare(const void *a, const void *b) { return hop(*(const int *)a) - *(const int *)b; }

__attribute__((noinline)) static void sorter(int *array) {
  qsort(array, 3, sizeof *array, compare);
  __asm__ volatile(""); // no tail call
}

static int twice(int *value) { return 2 * hop(*value); }

int main(void) {
  int array[3] = {3, 1, 2};
  sorter(array);
  printf("%d%d%d %d\n", array[0], array[1], array[2], call_back(twice, array));
  return 0;
}

// clang-format off: CHECK lines stay whole
// CHECK-DAG: 123 3
// CHECK-DAG: a foreign frame is on its stack: qsort in libc.so.6, called by `sorter`
// CHECK-DAG: a foreign frame is on its stack: `call_back`, which was not compiled to migrate, called by `main` ({{.*}}foreign-frame-names.c
