// An address has 47 bits, so a double holds it exactly, as a number.
#include "words.h"

static NOINLINE long use(long *p) {
  double d = (double)(uintptr_t)p;
  hop();
  return *(long *)(uintptr_t)d;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
