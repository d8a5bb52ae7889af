// A double is a number or an address, depending on the path. It is negated, which flips its highest bit.
#include "words.h"

static NOINLINE long use(long *p, int which) {
  long own = *p + 1;
  hop_pointer(&own);
  long *at = which & 1 ? p : &own;
  double d = (double)which, e;
  if (which)
    memcpy(&d, &at, sizeof d);
  e = -d;
  hop();
  e = -e;
  hop();
  if (!which)
    return (long)(d + e);
  memcpy(&at, &e, sizeof at);
  return *at;
}

int main(void) {
  long a = 5, sum = 0;
  for (int i = 0; i < 3; i++)
    sum = sum * 10 + use(&a, i);
  printf("%ld\n", sum);
}
