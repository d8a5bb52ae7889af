// The distance from a global to a local is computed from the two halves of both, and put together.
#include "words.h"

static long global;

static NOINLINE long use(long *p) {
  uint32_t low = (uint32_t)(uintptr_t)p - (uint32_t)(uintptr_t)&global;
  uint32_t high = (uint32_t)((uintptr_t)p >> 32) - (uint32_t)((uintptr_t)&global >> 32);
  hop();
  uint32_t l = low + (uint32_t)(uintptr_t)&global, h = high + (uint32_t)((uintptr_t)&global >> 32);
  return *(long *)((uintptr_t)h << 32 | l);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
