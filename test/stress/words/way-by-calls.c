// A number is made of an address by calls that are made for its bits.
// changes: globals
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static uint64_t made;

static NOINLINE void set(int i) { made |= (uint64_t)1 << (47 - i); }

static NOINLINE void skip(int i) { made &= ~((uint64_t)1 << (47 - i)); }

static NOINLINE long use(long *p, UNUSED long *q) {
  for (int i = 0; i < 48; i++)
    if ((uintptr_t)p & (uintptr_t)1 << i)
      set(i);
    else
      skip(i);
  hop();
  return *address(__builtin_bitreverse64(made) >> 16);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
