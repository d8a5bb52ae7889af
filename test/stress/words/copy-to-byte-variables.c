// The bytes of an address are in eight variables over a call.
#include "words.h"

static NOINLINE long keep(long *p) {
  uintptr_t v = (uintptr_t)p;
  unsigned char a = v, b = v >> 8, c = v >> 16, d = v >> 24, e = v >> 32, f = v >> 40, g = v >> 48, h = v >> 56;
  hop();
  v = (uintptr_t)h << 56 | (uintptr_t)g << 48 | (uintptr_t)f << 40 | (uintptr_t)e << 32 | (uintptr_t)d << 24 |
      (uintptr_t)c << 16 | (uintptr_t)b << 8 | a;
  return *(long *)v;
}

int main(void) {
  long a = 1;
  printf("%ld\n", keep(&a));
}
