// Recursion in which each level hands the address of its local to the next, which fills it.
#include "hop.h"

static NOINLINE void fibonacci(int n, long *out) {
  if (n < 2) {
    *out = n;
    hop();
    return;
  }
  long a, b;
  fibonacci(n - 1, &a);
  hop();
  fibonacci(n - 2, &b);
  *out = a + b;
}

static NOINLINE void range(const int *a, int n, int *low, int *high) {
  if (n == 1) {
    hop();
    *low = *high = *a;
    return;
  }
  int low2, high2;
  range(a, n / 2, low, high);
  range(a + n / 2, n - n / 2, &low2, &high2);
  *low = low2 < *low ? low2 : *low;
  *high = high2 > *high ? high2 : *high;
}

int main(void) {
  long n;
  fibonacci(13, &n);
  int a[20], low, high;
  for (int i = 0; i < 20; i++)
    a[i] = (i * 29 + 7) % 53;
  range(a, 20, &low, &high);
  printf("%ld %d %d\n", n, low, high);
}
