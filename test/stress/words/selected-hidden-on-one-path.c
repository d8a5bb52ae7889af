// A hidden address of one local is replaced on some paths by that of another, whose place is known at run time only.
#include "words.h"

static NOINLINE long use(const long *p, long n) {
  long x[3] = {*p, *p + 1, *p + 2};
  uint64_t hidden = (uintptr_t)(x + 1) ^ key();
  if (n % 3 == 1)
    hidden = (uintptr_t)(x + n % 2) ^ key();
  hop();
  long sum = *(long *)(hidden ^ key());
  hop();
  return sum * 10 + x[n % 3];
}

int main(void) {
  long a = 1, sum = 0;
  for (long n = number(); n < 13; n++)
    sum = sum * 10 + use(&a, n);
  printf("%ld\n", sum);
}
