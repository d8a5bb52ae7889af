// An address without its two lowest bits, which are always zero.
#include "words.h"

static NOINLINE long through(long *p, long times) {
  long own[2] = {*p, *p + 1};
  hop_pointer(own);
  uint64_t v = (uint64_t)(uintptr_t)p >> 2, w = (uint64_t)(uintptr_t)(own + 1) >> 2;
  long sum = 0;
  for (long i = 0; i < times; i++) {
    hop();
    long *again = (long *)(uintptr_t)(v << 2);
    sum += *again + (again == p);
    again = (long *)(uintptr_t)(w << 2);
    sum = sum * 10 + *again + (again == own + 1);
  }
  return sum;
}

int main(void) {
  long local = 41;
  printf("%ld\n", through(&local, 3));
}
