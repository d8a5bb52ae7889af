// Two addresses are the parts of a complex double, conjugated on the way.
#include "words.h"

static NOINLINE double as_double(long *p) {
  double d;
  memcpy(&d, &p, 8);
  return d;
}
static NOINLINE long at(double d) {
  long *p;
  memcpy(&p, &d, 8);
  return *p;
}
static NOINLINE long use(long *p) {
  double _Complex c = __builtin_complex(as_double(p), as_double(p));
  hop();
  c = ~c;
  hop();
  c = ~c;
  return at(__real__ c) * 10 + at(__imag__ c);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
