// Bytes of an argument, which is an address, are looked at one at a time.
#include "words.h"

static NOINLINE unsigned char byte(const void *at, int i) { return ((const unsigned char *)at)[i]; }
static NOINLINE long use(long *p) {
  uint64_t v = 0;
  for (int i = 0; i < 8; i++) {
    unsigned char b = byte(&p, i);
    hop();
    v |= (uint64_t)b << 8 * i;
  }
  return *(long *)v;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
