// Inline assembly returns the same integer, of which the compiler knows nothing.
#include "words.h"

static NOINLINE long use(long *p) {
  uintptr_t v = (uintptr_t)p;
  __asm__("" : "+r"(v));
  hop();
  return *(long *)v + (v == (uintptr_t)p);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
