// A comparison that itself sorts a local array: comparisons of the inner one lie above those of the outer one on the
// stack.
#include "hop.h"
#include <stdlib.h>

static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int by_median(const void *a, const void *b) {
  int x[5], y[5];
  for (int i = 0; i < 5; i++) {
    x[i] = ((const int *)a)[i];
    y[i] = ((const int *)b)[i];
  }
  qsort(x, 5, sizeof *x, up);
  hop();
  qsort(y, 5, sizeof *y, up);
  return x[2] - y[2];
}

int main(void) {
  int rows[6][5];
  for (int i = 0; i < 30; i++)
    rows[i / 5][i % 5] = i * 17 % 31;
  qsort(rows, 6, sizeof *rows, by_median);
  hop();
  for (int i = 0; i < 30; i++)
    printf("%d ", rows[i / 5][i % 5]);
  printf("\n");
}
