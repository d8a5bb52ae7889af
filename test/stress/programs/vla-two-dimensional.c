// Two-dimensional VLAs, parameters of variably modified type and pointers to rows.
#include "hop.h"

static NOINLINE void multiply(int n, int m, int a[n][m], int b[m][n], int c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int s = 0;
      int (*row)[m] = &a[i];
      hop();
      for (int k = 0; k < m; k++)
        s += (*row)[k] * b[k][j];
      c[i][j] = s;
    }
}

static NOINLINE int run(int n, int m) {
  int a[n][m], b[m][n], c[n][n];
  int *diagonal[n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      a[i][j] = i - j;
      b[j][i] = i * j + 1;
    }
  for (int i = 0; i < n; i++)
    diagonal[i] = &c[i][i];
  multiply(n, m, a, b, c);
  int s = 0;
  for (int i = 0; i < n; i++) {
    hop();
    s = s * 7 + *diagonal[i] + c[n - 1 - i][i];
  }
  return s;
}

int main(void) { printf("%d %d %d\n", run(1, 4), run(3, 2), run(5, 5)); }
