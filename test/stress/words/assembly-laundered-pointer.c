// Inline assembly takes a pointer and gives a number, and the other way round.
#include "words.h"

static NOINLINE long use(long *p) {
  uintptr_t v;
  __asm__("" : "=r"(v) : "0"(p));
  hop();
  long *back;
  __asm__("" : "=r"(back) : "0"(v));
  hop();
  return *back;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
