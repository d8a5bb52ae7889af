// A vector of two integers holds two addresses; then hidden by a key.
#include "words.h"

typedef unsigned long pair __attribute__((vector_size(16)));

static NOINLINE long use(long *p, long *q) {
  pair v = {(uintptr_t)p, (uintptr_t)q}, k = {key(), key()}, hidden = v ^ k;
  hop();
  long sum = *(long *)v[0] * 10 + *(long *)v[1];
  hop();
  hidden ^= k;
  return sum * 10 + *(long *)hidden[1];
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
