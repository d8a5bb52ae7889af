// Some options change how calls, addresses and locals are compiled, but not where addresses live: all threads must
// move. With -fbasic-block-sections the functions stay in one piece, since a map has one base.
// RUN: %skeincc -O0 -fskein-stress=calls -fno-plt %s -o %t && env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O2 -fskein-stress=calls -fno-plt -fPIC %s -o %t && env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O0 -fskein-stress=calls -fbasic-block-sections=all %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O2 -fskein-stress=calls -fbasic-block-sections=all %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O2 -fskein-stress=calls -mcmodel=medium %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O0 -fskein-stress=calls -ftrivial-auto-var-init=pattern %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O2 -fskein-stress=calls -ftrivial-auto-var-init=pattern %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// CHECK: skein: stress: {{[1-9][0-9]*}} moves, {{.*}} 0 moves refused
// CHECK: 63 78
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *next;
  long value;
};
static long sum(struct node *list) {
  long s = 0;
  for (; list; list = list->next) {
    s += list->value;
    skein_yield();
  }
  return s;
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static long work(int n) {
  struct node first = {0, 1}, second = {&first, 2}, third = {&second, n};
  struct node *table[3] = {&first, &second, &third};
  char text[32];
  int numbers[8] = {5, 3, 8, 1, 9, 2, 7, 4}, local;
  int *where = &numbers[n % 8];
  snprintf(text, sizeof text, "%d", n);
  long s = sum(&third);
  qsort(numbers, 8, sizeof *numbers, compare);
  for (int i = 0; i < 3; i++)
    s += sum(table[i]) * (i + 1);
  local = *where;
  return s + local + atoi(text);
}
int main(void) {
  printf("%ld %ld\n", work(7), work(11));
  return 0;
}
