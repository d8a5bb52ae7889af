// The bytes of an address are put in another order with an index that takes many steps to compute.
#include "words.h"

static NOINLINE void turn(unsigned char *to, const unsigned char *from, long n) {
  for (long i = 0; i < n; i++)
    to[((((n - 1 - i) * 3 + 3) * 5 + 5) / 15 - 1) & 7] = from[i];
}
static NOINLINE long use(long *p) {
  unsigned char a[8], b[8];
  memcpy(a, &p, 8);
  turn(b, a, number() + 1);
  memset(a, 0, 8);
  p = 0;
  hop();
  turn(a, b, number() + 1);
  memcpy(&p, a, 8);
  return *p;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
