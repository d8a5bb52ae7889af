// Two addresses in a vector that travels in one register: as an argument, as a result and across calls.
// refused (not O0): ambiguous
// refused (O0): ambiguous, number
#include "hop.h"

typedef uintptr_t addresses __attribute__((vector_size(16)));

static NOINLINE long load(addresses v) {
  hop();
  return *(int *)v[0] * 10 + *(int *)v[1];
}

static NOINLINE addresses shift(addresses v, long by) {
  hop();
  addresses step = {(uintptr_t)by * sizeof(int), (uintptr_t)by * sizeof(int)};
  return v + step;
}

static NOINLINE long run(int *p, int *q) {
  addresses v = {(uintptr_t)p, (uintptr_t)q};
  hop();
  addresses w = shift(v, 1);
  hop();
  return load(v) * 100 + load(w);
}

int main(void) {
  int a[6] = {1, 2, 3, 4, 5, 6};
  for (int i = 0; i < 4; i++)
    printf("%ld\n", run(a + i, a + 4 - i));
}
