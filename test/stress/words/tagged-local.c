// A hidden address of a local of the function itself, beside calls that are given the address.
#include "words.h"

static NOINLINE long take(long *p) {
  hop();
  return ++*p;
}

static NOINLINE long use(long n) {
  long x[3] = {n, n + 1, n + 2};
  uint64_t hidden = (uintptr_t)(x + 2) ^ key(), sum = (uintptr_t)x + key();
  long total = take(x + n % 3);
  hop();
  total = total * 10 + *(long *)(hidden ^ key());
  total = total * 10 + take(x + 2);
  return total * 10 + *(long *)(sum - key());
}

int main(void) {
  long sum = 0;
  for (long n = 0; n < 3; n++)
    sum = sum * 10 + use(number() + n);
  printf("%ld\n", sum);
}
