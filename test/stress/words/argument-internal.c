// Local functions get and return words that are addresses in some calls and numbers in others.
#include "words.h"

static NOINLINE uintptr_t pass(uintptr_t word, long depth) {
  hop();
  if (depth == 0)
    return word;
  uintptr_t result = pass(word, depth - 1);
  hop();
  return result;
}

static NOINLINE long use(long *p) {
  long sum = *(long *)pass((uintptr_t)p, 3);
  sum = sum * 10 + (long)pass(7, 2);
  sum = sum * 10 + *(long *)~pass(~(uintptr_t)p, 1);
  uint64_t k = key();
  return sum * 10 + *(long *)(pass((uintptr_t)p + k, 2) - k);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
