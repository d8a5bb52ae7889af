// Inline assembly puts an address into a double, hidden.
#include "words.h"

static NOINLINE long use(long *p) {
  double d;
  uintptr_t v = ~(uintptr_t)p;
  __asm__("movq %1, %0" : "=x"(d) : "r"(v));
  hop();
  __asm__("movq %1, %0" : "=r"(v) : "x"(d));
  return *(long *)~v;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
