// Complex ints: the two halves of an address.
#include "words.h"
typedef _Complex unsigned C;
static NOINLINE C turn(C c) {
  hop();
  return c;
}
static NOINLINE long use(long *p) {
  C c;
  __real__ c = (uintptr_t)p;
  __imag__ c = (uintptr_t)p >> 32;
  c = turn(c);
  hop();
  return *(long *)((uintptr_t)__imag__ c << 32 | __real__ c);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
