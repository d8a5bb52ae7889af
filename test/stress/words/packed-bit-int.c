// _BitInt of 48 bits and of 100 bits hold addresses.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  unsigned _BitInt(48) narrow = (unsigned _BitInt(48))(uintptr_t)p;
  unsigned _BitInt(100) wide = (unsigned _BitInt(100))(uintptr_t)q << 50 | (unsigned _BitInt(100))number();
  hop();
  return *(long *)(uintptr_t)narrow * 10 + *(long *)(uintptr_t)(wide >> 50) + (long)(wide & 0xff);
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
