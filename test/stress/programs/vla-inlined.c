// A VLA and an alloca are in functions that are inlined into a loop, so the saved stack pointer itself is live across
// calls. The arrays have a multiple of 8 bytes and are filled: an int beside what an earlier frame left may look like
// an address, which is rightly refused, in one run of a hundred.
#include "hop.h"
#include <alloca.h>

static inline __attribute__((always_inline)) int with_vla(int n, int *total) {
  int a[n + n % 2];
  for (int i = 0; i < n + n % 2; i++)
    a[i] = i + *total;
  int *p = &a[n / 2];
  hop();
  *total += *p;
  return a[n - 1];
}

static inline __attribute__((always_inline)) int with_two(int n, int *total) {
  int *a[n], b[n + 2];
  for (int i = 0; i < n; i++) {
    b[i] = i * n;
    a[i] = b + i;
  }
  b[n] = b[n + 1] = with_vla(n, total);
  hop();
  return *a[n - 1] + b[n];
}

static NOINLINE int run(int n) {
  int total = 1, sum = 0;
  for (int i = 1; i <= n; i++) {
    sum += with_vla(i, &total);
    hop();
    sum += with_two(i, &total);
    total %= 1000;
  }
  return sum * 1000 + total;
}

int main(void) {
  for (int n = 0; n < 12; n += 3)
    printf("%d\n", run(n));
}
