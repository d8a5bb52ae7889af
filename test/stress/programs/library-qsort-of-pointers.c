// qsort_r over an array of pointers to locals, its context a local that counts comparisons.
#define _GNU_SOURCE
#include "hop.h"
#include <stdlib.h>

static int compare(const void *a, const void *b, void *context) {
  int *count = context;
  ++*count;
  hop();
  return **(int *const *)a - **(int *const *)b;
}

int main(void) {
  int v[10], *p[10], count = 0;
  for (int i = 0; i < 10; i++) {
    v[i] = i * 3 % 10;
    p[i] = v + i;
  }
  qsort_r(p, 10, sizeof *p, compare, &count);
  hop();
  for (int i = 0; i < 10; i++)
    printf("%d%ld ", *p[i], (long)(p[i] - v));
  printf("%d\n", count > 0);
}
