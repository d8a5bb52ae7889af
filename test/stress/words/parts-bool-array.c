// The bits of an address are an array of bool.
#include "words.h"

static NOINLINE void take(bool *to, uint64_t v) {
  for (int i = 0; i < 64; i++)
    to[i] = v >> i & 1;
}
static NOINLINE long use(long *p) {
  bool bits[64];
  take(bits, (uintptr_t)p);
  hop();
  uint64_t v = 0;
  for (int i = 0; i < 64; i++)
    v |= (uint64_t)bits[i] << i;
  return *(long *)v;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
