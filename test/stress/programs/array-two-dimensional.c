// Rows of a local matrix through pointers to arrays, a table of row pointers, and a transposition in place.
#include "hop.h"

static NOINLINE void swap(int *a, int *b) {
  int t = *a;
  hop();
  *a = *b;
  *b = t;
}

static NOINLINE void transpose(int (*m)[6]) {
  for (int i = 0; i < 6; i++)
    for (int j = i + 1; j < 6; j++)
      swap(&m[i][j], &m[j][i]);
}

static NOINLINE int trace(int **rows, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    hop();
    sum = sum * 3 + rows[i][i] - rows[n - 1 - i][i];
  }
  return sum;
}

int main(void) {
  int m[6][6], *rows[6];
  for (int i = 0; i < 6; i++) {
    rows[i] = m[i];
    for (int j = 0; j < 6; j++)
      m[i][j] = i * 10 + j;
  }
  transpose(m);
  printf("%d", trace(rows, 6));
  int *first = rows[0];
  rows[0] = rows[5];
  rows[5] = first;
  hop();
  printf(" %d", trace(rows, 6));
  int (*last)[6] = &m[5];
  hop();
  printf(" %d\n", (*last)[1] + last[-1][2]);
}
