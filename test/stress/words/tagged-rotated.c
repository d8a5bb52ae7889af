// An address, rotated by 17 bits.
#include "words.h"

static NOINLINE long through(long *p, long times) {
  long own[2] = {*p, *p + 1};
  hop_pointer(own);
  uint64_t v = (uint64_t)(uintptr_t)p << 17 | (uint64_t)(uintptr_t)p >> 47,
           w = (uint64_t)(uintptr_t)(own + 1) << 17 | (uint64_t)(uintptr_t)(own + 1) >> 47;
  long sum = 0;
  for (long i = 0; i < times; i++) {
    hop();
    long *again = (long *)(uintptr_t)(v >> 17 | v << 47);
    sum += *again + (again == p);
    again = (long *)(uintptr_t)(w >> 17 | w << 47);
    sum = sum * 10 + *again + (again == own + 1);
  }
  return sum;
}

int main(void) {
  long local = 41;
  printf("%ld\n", through(&local, 3));
}
