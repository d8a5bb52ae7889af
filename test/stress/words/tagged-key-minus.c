// An address is taken from a key of run time.
#include "words.h"

static NOINLINE long through(long *p, long times) {
  long own[2] = {*p, *p + 1};
  hop_pointer(own);
  uint64_t k = key();
  uint64_t v = k - (uint64_t)(uintptr_t)p, w = k - (uint64_t)(uintptr_t)(own + 1);
  long sum = 0;
  for (long i = 0; i < times; i++) {
    hop();
    long *again = (long *)(uintptr_t)(k - v);
    sum += *again + (again == p);
    again = (long *)(uintptr_t)(k - w);
    sum = sum * 10 + *again + (again == own + 1);
  }
  return sum;
}

int main(void) {
  long local = 41;
  printf("%ld\n", through(&local, 3));
}
