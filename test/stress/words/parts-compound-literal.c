// A compound literal of four shorts of an address.
#include "words.h"

static NOINLINE long use(long *p) {
  uint64_t v = (uintptr_t)p;
  uint16_t *s = (uint16_t[]){(uint16_t)v, (uint16_t)(v >> 16), (uint16_t)(v >> 32), (uint16_t)(v >> 48)};
  uint16_t *volatile at = s;
  hop();
  s = at;
  hop();
  return *(long *)(s[0] | (uint64_t)s[1] << 16 | (uint64_t)s[2] << 32 | (uint64_t)s[3] << 48);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
