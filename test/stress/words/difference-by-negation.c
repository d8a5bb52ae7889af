// An address plus another one that was negated before.
#include "words.h"
static long g;
static NOINLINE long use(long *p) {
  uint64_t n = 0 - (uintptr_t)&g;
  uint64_t d = (uintptr_t)p + n;
  hop();
  return *(long *)(d + (uintptr_t)&g);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
