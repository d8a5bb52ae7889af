// A long double holds an address, as a number and as bytes.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  long double d = (long double)(uintptr_t)p * 2 + 1;
  union {
    long double real;
    uint64_t words[2];
  } u = {0};
  u.words[0] = (uintptr_t)q;
  hop();
  return *(long *)(uintptr_t)((d - 1) / 2) * 10 + *(long *)u.words[0];
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
