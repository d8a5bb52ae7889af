// An integer is an address on one path and a number on the other.
#include "words.h"

static NOINLINE long use(long *p, int which) {
  uintptr_t v = which ? (uintptr_t)p : (uintptr_t)number() * 1000;
  hop();
  if (which)
    return *(long *)v;
  return (long)v;
}

int main(void) {
  long a = 5, sum = 0;
  for (int i = 0; i < 4; i++)
    sum += use(&a, i & 1);
  printf("%ld\n", sum);
}
