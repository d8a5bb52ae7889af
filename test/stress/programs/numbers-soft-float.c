// __float128 and _Float16: arithmetic that is itself calls, made by the back end, that no map knows.
#include "hop.h"

static NOINLINE __float128 wide(__float128 *p, int n) {
  __float128 sum = 0;
  for (int i = 1; i <= n; i++) {
    sum += *p / i;
    hop();
    *p = *p * 3 - sum;
  }
  return sum;
}

static NOINLINE float narrow(_Float16 *p, int n) {
  _Float16 sum = 0;
  for (int i = 1; i <= n; i++) {
    hop();
    sum += *p;
    *p /= (_Float16)2;
  }
  return (float)sum;
}

int main(void) {
  for (int n = 1; n < 8; n++) {
    __float128 a = n;
    _Float16 b = (_Float16)(n + 0.5f);
    double w = (double)wide(&a, n);
    printf("%.12g %.12g %g\n", w, (double)a, (double)narrow(&b, n));
  }
}
