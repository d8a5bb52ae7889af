// An address is cut into two parts at various bits, of which one or both are kept.
#include "words.h"

static NOINLINE long use(long *p, int bit) {
  uint64_t v = (uintptr_t)p, mask = (UINT64_C(1) << bit) - 1, high = v & ~mask, low = v & mask;
  hop();
  long *back = (long *)(uintptr_t)(high | low);
  hop();
  return *back + (back == p);
}

int main(void) {
  long a = 5, sum = 0;
  for (int bit = 4; bit < 44; bit += 4)
    sum = sum * 3 + use(&a, bit);
  printf("%ld\n", sum);
}
