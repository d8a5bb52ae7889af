// Numbers made of addresses where the program looks at its floating-point environment.
#include "words.h"
#pragma STDC FENV_ACCESS ON

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long use(long *p, long *q) {
  double d = (double)(uintptr_t)p + 1.0, e = (double)(uintptr_t)q - (double)number();
  hop();
  return *address((uintptr_t)(d - 1.0)) * 10 + *address((uintptr_t)(e + (double)number()));
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
