// Loops that strength reduction turns into biased pointers: several arrays, one index, calls in the middle.
#include "hop.h"

static NOINLINE long convolve(int n) {
  int a[32], b[32];
  long c[64] = {0};
  short d[3][32];
  for (int i = 0; i < n; i++) {
    a[i] = i + 1;
    b[i] = n - i;
    d[0][i] = (short)(i * 2);
    d[1][i] = (short)(i * 3);
    d[2][i] = (short)(i * 5);
  }
  for (int i = 1; i < n - 1; i++) {
    hop();
    for (int j = 1; j < n - 1; j++)
      c[i + j] += (long)a[i - 1] * b[j + 1] + d[i % 3][j] - d[2][n - j];
    hop();
    c[i] += a[i + 1];
  }
  long sum = 0;
  for (int i = 0; i < 2 * n; i++)
    sum = (sum * 3 + c[i]) % 1000003;
  return sum;
}

int main(void) {
  for (int n = 3; n < 32; n += 7)
    printf("%ld\n", convolve(n));
}
