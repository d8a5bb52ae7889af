// Two integers of 27 bits hold an address.
#include "words.h"

static NOINLINE long use(long *p) {
  unsigned _BitInt(27) low = (unsigned _BitInt(27))(uintptr_t)p, high = (unsigned _BitInt(27))((uintptr_t)p >> 27);
  hop();
  return *(long *)((uintptr_t)low | (uintptr_t)high << 27);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
