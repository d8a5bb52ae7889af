// NaN-boxing: a value is a double, or an address in the low bits of a NaN.
// refused: number
#include "hop.h"
#include <string.h>

static NOINLINE double box(int *p) {
  uint64_t bits = UINT64_C(0xfff8) << 48 | (uintptr_t)p;
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static NOINLINE double sum(const double *v, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &v[i], sizeof bits);
    hop();
    s += bits >> 48 == 0xfff8 ? *(int *)(uintptr_t)(bits << 16 >> 16) : v[i];
  }
  return s;
}

int main(void) {
  int a[2] = {100, 1000};
  double v[4] = {0.5, box(a), 2.25, box(a + 1)};
  hop();
  printf("%g\n", sum(v, 4));
}
