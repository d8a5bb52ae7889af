// A product of 128 bits holds an address times 2^40, and a number below.
#include "words.h"

static NOINLINE long use(long *p) {
  unsigned __int128 v = (unsigned __int128)(uintptr_t)p * ((unsigned __int128)1 << 40) + (unsigned)number();
  hop();
  return *(long *)(uintptr_t)(v >> 40) + (long)(v & 0xffffffff);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
