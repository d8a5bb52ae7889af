// Wide numbers live across calls: x87, vectors, __int128, _Complex of each kind, mixed with addresses, and the rounding
// mode.
#include "hop.h"
#include <complex.h>
#include <fenv.h>

typedef double two __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));
typedef long wide __attribute__((vector_size(64)));
typedef __int128 big;

static NOINLINE long double x87(long double a, long double *p) {
  long double b = a / 3, c = b * a, d = c - b;
  hop();
  *p += d;
  hop();
  return a + b + c + d + *p;
}

static NOINLINE big integers(big a, unsigned __int128 b, big *p) {
  big c = a * 3 + (big)b;
  hop();
  unsigned __int128 d = b << 70 | (unsigned long)c;
  *p ^= c;
  hop();
  return c + (big)d + *p;
}

static NOINLINE _Complex double complexes(_Complex double a, _Complex float b, _Complex long double c,
                                          _Complex double *p) {
  _Complex double d = a * b;
  hop();
  _Complex long double e = c * d;
  *p += d;
  hop();
  return d + (_Complex double)e + *p + conj(a);
}

static NOINLINE _Complex int whole(_Complex int a, _Complex int *p) {
  hop();
  *p += a;
  hop();
  return a * *p;
}

static NOINLINE two vectors(two a, eight b, wide c, two *p) {
  two d = a * 3;
  hop();
  eight e = b + b;
  *p += d;
  wide f = c << 3;
  hop();
  return d + *p + (two){e[0] + e[7], (double)(f[1] + f[6])};
}

static NOINLINE int pointers_in_vector(int *a, int n) {
  typedef int *row[8];
  row r;
  for (int i = 0; i < 8; i++)
    r[i] = a + (i * n) % 5;
  hop();
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum = sum * 2 + *r[i];
  hop();
  return sum + *r[n % 8];
}

static NOINLINE double rounded(double x) {
  fesetround(FE_UPWARD);
  hop();
  volatile double third = 1.0 / x;
  hop();
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  return third + (mode == FE_UPWARD);
}

int main(void) {
  long double l = 2.5L;
  big i = 12345;
  _Complex double z = 1 + 2 * I;
  _Complex int k = 3 + 4i;
  two t = {1, 2};
  int a[5] = {3, 1, 4, 1, 5};
  for (int n = 1; n < 4; n++) {
    printf("%.15Lg", x87(n * 1.7L, &l));
    big r = integers((big)n << 65, (unsigned __int128)n * 77, &i);
    printf(" %lx %lx", (long)(r >> 64), (long)r);
    _Complex double c = complexes(n + 1i, 2.0f - n * 1.0if, 0.5L + n * 1.0iL, &z);
    printf(" %g %g", creal(c), cimag(c));
    _Complex int w = whole(n + 2i, &k);
    printf(" %d %d", __real__ w, __imag__ w);
    two v = vectors((two){n, 2}, (eight){1, 2, 3, 4, 5, 6, 7, n}, (wide){1, 2, 3, 4, 5, 6, 7, n}, &t);
    printf(" %g %g %d %.20g\n", v[0], v[1], pointers_in_vector(a, n), rounded(n * 3));
  }
}
