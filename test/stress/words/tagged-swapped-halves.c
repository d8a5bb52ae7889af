// The halves of an address in the other order.
#include "words.h"

static NOINLINE long through(long *p, long times) {
  long own[2] = {*p, *p + 1};
  hop_pointer(own);
  uint64_t v = (uint64_t)(uint32_t)(uint64_t)(uintptr_t)p << 32 | (uint64_t)(uintptr_t)p >> 32,
           w = (uint64_t)(uint32_t)(uint64_t)(uintptr_t)(own + 1) << 32 | (uint64_t)(uintptr_t)(own + 1) >> 32;
  long sum = 0;
  for (long i = 0; i < times; i++) {
    hop();
    long *again = (long *)(uintptr_t)((uint64_t)(uint32_t)v << 32 | v >> 32);
    sum += *again + (again == p);
    again = (long *)(uintptr_t)((uint64_t)(uint32_t)w << 32 | w >> 32);
    sum = sum * 10 + *again + (again == own + 1);
  }
  return sum;
}

int main(void) {
  long local = 41;
  printf("%ld\n", through(&local, 3));
}
