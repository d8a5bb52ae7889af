// Gaussian elimination with pivoting by exchanging row pointers.
#include "hop.h"

static NOINLINE double **pivot(double **rows, int n, int k) {
  double **best = rows + k;
  for (double **r = rows + k; r < rows + n; r++) {
    double a = (*r)[k] < 0 ? -(*r)[k] : (*r)[k], b = (*best)[k] < 0 ? -(*best)[k] : (*best)[k];
    hop();
    if (a > b)
      best = r;
  }
  return best;
}

static NOINLINE double determinant(double **rows, int n) {
  double d = 1;
  for (int k = 0; k < n; k++) {
    double **best = pivot(rows, n, k), *t = *best;
    if (best != rows + k)
      d = -d;
    *best = rows[k];
    hop();
    rows[k] = t;
    for (double **r = rows + k + 1; r < rows + n; r++) {
      double f = (*r)[k] / t[k];
      hop();
      for (int j = k; j < n; j++)
        (*r)[j] -= f * t[j];
    }
    d *= t[k];
  }
  return d;
}

int main(void) {
  for (int n = 1; n < 7; n++) {
    double a[6][6], *rows[6];
    for (int i = 0; i < n; i++) {
      rows[i] = a[i];
      for (int j = 0; j < n; j++)
        a[i][j] = (i * 5 + j * 3) % 7 + (i == j ? 4 : 0);
    }
    printf("%.6f\n", determinant(rows, n));
  }
}
