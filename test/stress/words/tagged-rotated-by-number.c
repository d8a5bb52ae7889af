// An address, rotated by a number of run time.
#include "words.h"

static NOINLINE long through(long *p, long times) {
  long own[2] = {*p, *p + 1};
  hop_pointer(own);
  uint64_t v = (uint64_t)(uintptr_t)p << number() | (uint64_t)(uintptr_t)p >> (64 - number()),
           w = (uint64_t)(uintptr_t)(own + 1) << number() | (uint64_t)(uintptr_t)(own + 1) >> (64 - number());
  long sum = 0;
  for (long i = 0; i < times; i++) {
    hop();
    long *again = (long *)(uintptr_t)(v >> number() | v << (64 - number()));
    sum += *again + (again == p);
    again = (long *)(uintptr_t)(w >> number() | w << (64 - number()));
    sum = sum * 10 + *again + (again == own + 1);
  }
  return sum;
}

int main(void) {
  long local = 41;
  printf("%ld\n", through(&local, 3));
}
