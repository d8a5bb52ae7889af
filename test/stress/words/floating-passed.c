// A double that holds an address is passed to and returned by a function that the compiler does not see.
#include "words.h"

static NOINLINE double as_double(long *p) {
  double d;
  memcpy(&d, &p, sizeof d);
  return d;
}
static NOINLINE long load(double d) {
  hop();
  long *p;
  memcpy(&p, &d, sizeof p);
  return *p;
}
static double (*volatile make)(long *) = as_double;
static long (*volatile take)(double) = load;

int main(void) {
  long a = 5;
  double d = make(&a);
  hop();
  printf("%ld\n", take(d));
}
