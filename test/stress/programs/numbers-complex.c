// _Complex values of three precisions across calls, in registers, in memory and through pointers.
#include "hop.h"
#include <complex.h>

static NOINLINE double complex step(double complex z, const double complex *c) {
  hop();
  return z * z + *c;
}

static NOINLINE long double complex wide(long double complex a, float complex *f) {
  hop();
  *f = *f * 2 + 1;
  long double complex r = a * (long double)crealf(*f);
  hop();
  return r + cimagf(*f) * I;
}

int main(void) {
  double complex c = 0.25 - 0.5 * I, z = 0;
  float complex f = 0.5f + 2 * I;
  for (int i = 0; i < 8; i++) {
    double complex *p = i & 1 ? &z : &c, before = *p;
    z = step(z, &c);
    hop();
    long double complex w = wide(z, &f);
    if (i > 5)
      f = 0.5f;
    printf("%.9f %.9f %.9Lf %.9Lf %d\n", creal(z), cimag(z), creall(w), cimagl(w), *p == before);
  }
}
