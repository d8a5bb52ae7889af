// Numbers made of addresses are kept in variables of the program, which looks at its floating-point environment.
// changes: globals
#include "words.h"
#pragma STDC FENV_ACCESS ON

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static double kept[2];

static NOINLINE long use(long *p, long *q) {
  kept[0] = (double)(uintptr_t)p + 1.0;
  kept[1] = (double)(uintptr_t)q * 2.0;
  hop();
  return *address((uintptr_t)(kept[0] - 1.0)) * 10 + *address((uintptr_t)(kept[1] / 2.0));
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
