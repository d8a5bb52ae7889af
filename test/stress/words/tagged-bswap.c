// The bytes of an address in the other order.
#include "words.h"

static NOINLINE long through(long *p, long times) {
  long own[2] = {*p, *p + 1};
  hop_pointer(own);
  uint64_t v = __builtin_bswap64((uint64_t)(uintptr_t)p), w = __builtin_bswap64((uint64_t)(uintptr_t)(own + 1));
  long sum = 0;
  for (long i = 0; i < times; i++) {
    hop();
    long *again = (long *)(uintptr_t)(__builtin_bswap64(v));
    sum += *again + (again == p);
    again = (long *)(uintptr_t)(__builtin_bswap64(w));
    sum = sum * 10 + *again + (again == own + 1);
  }
  return sum;
}

int main(void) {
  long local = 41;
  printf("%ld\n", through(&local, 3));
}
