// The distance between a local and a global in 128 bits.
#include "words.h"
static long g;
static NOINLINE long use(long *p) {
  __int128 d = (__int128)(uintptr_t)p - (__int128)(uintptr_t)&g;
  hop();
  return *(long *)(uintptr_t)(d + (uintptr_t)&g);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
