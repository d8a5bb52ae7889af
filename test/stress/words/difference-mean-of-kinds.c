// The mean of a stack and a program address.
#include "words.h"
static long g;
static NOINLINE long use(long *p, long *q) {
  uint64_t mean = ((uintptr_t)p + (uintptr_t)q) / 2;
  hop();
  return *(long *)(mean * 2 - (uintptr_t)q);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a, &g));
}
