// Inline assembly computes the negative of an address, and an address from it after a call.
#include "words.h"

static NOINLINE long use(long *p) {
  uintptr_t v;
  __asm__("mov %1, %0\n\tneg %0" : "=&r"(v) : "r"(p) : "cc");
  hop();
  long *back;
  __asm__("mov %1, %0\n\tneg %0" : "=&r"(back) : "r"(v) : "cc");
  return *back;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
