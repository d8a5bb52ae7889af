// An address, hidden by a key of run time.
#include "words.h"

static NOINLINE long through(long *p, long times) {
  long own[2] = {*p, *p + 1};
  hop_pointer(own);
  uint64_t k = key();
  uint64_t v = (uint64_t)(uintptr_t)p ^ k, w = (uint64_t)(uintptr_t)(own + 1) ^ k;
  long sum = 0;
  for (long i = 0; i < times; i++) {
    hop();
    long *again = (long *)(uintptr_t)(v ^ k);
    sum += *again + (again == p);
    again = (long *)(uintptr_t)(w ^ k);
    sum = sum * 10 + *again + (again == own + 1);
  }
  return sum;
}

int main(void) {
  long local = 41;
  printf("%ld\n", through(&local, 3));
}
