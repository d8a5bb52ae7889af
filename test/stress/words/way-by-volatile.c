// A number is made of an address by the path that the program takes, with writes that cannot be merged.
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long use(long *p, UNUSED long *q) {
  volatile uint64_t made = 0;
  for (int i = 0; i < 48; i++)
    if ((uintptr_t)p >> i & 1)
      made |= (uint64_t)1 << (47 - i);
  hop();
  return *address(__builtin_bitreverse64(made) >> 16);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
