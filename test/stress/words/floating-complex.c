// A complex number holds two addresses, one as a number, one as bits.
#include "words.h"
#include <complex.h>

static NOINLINE double complex make(long *p, long *q) {
  double second;
  memcpy(&second, &q, sizeof second);
  return __builtin_complex((double)(uintptr_t)p, second);
}
static double complex (*volatile make_it)(long *, long *) = make;

static NOINLINE long use(long *p, long *q) {
  double complex z = make_it(p, q);
  hop();
  long *first = (long *)(uintptr_t)creal(z), *second;
  double imaginary = cimag(z);
  memcpy(&second, &imaginary, sizeof second);
  return *first * 10 + *second;
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
