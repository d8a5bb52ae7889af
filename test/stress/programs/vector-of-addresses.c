// Addresses in vectors of integers (vector_size), live across a call in a local, an array and a parameter.
// refused (not O0): ambiguous
// refused (O0): ambiguous, number
#include "hop.h"

typedef uintptr_t addresses __attribute__((vector_size(32)));

static NOINLINE long load(addresses v) {
  hop();
  long sum = 0;
  for (int i = 0; i < 4; i++)
    sum = sum * 10 + *(int *)v[i];
  return sum;
}

static NOINLINE long run(int *p) {
  addresses v = {(uintptr_t)p, (uintptr_t)(p + 1), (uintptr_t)(p + 2), (uintptr_t)(p + 3)};
  addresses step = {4, 4, 4, 4};
  hop();
  addresses w = v + step;
  hop();
  return load(v) * 100000 + load(w);
}

int main(void) {
  int a[6] = {1, 2, 3, 4, 5, 6};
  printf("%ld %ld\n", run(a), run(a + 1));
}
