// A __float128 holds two addresses, as bits.
#include "words.h"

static NOINLINE __float128 make(long *p, long *q) {
  long *both[2] = {p, q};
  __float128 f;
  memcpy(&f, both, sizeof f);
  return f;
}
static __float128 (*volatile make_it)(long *, long *) = make;

static NOINLINE long use(long *p, long n) {
  long own = *p + n;
  hop_pointer(&own);
  __float128 f = make_it(p, &own);
  hop();
  long *both[2];
  memcpy(both, &f, sizeof f);
  hop();
  return *both[0] * 10 + *both[1];
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a, 1));
}
