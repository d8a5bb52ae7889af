// Addresses as integer arguments, in registers and beyond the sixth, kept by the callee across calls.
#include "hop.h"

static NOINLINE long many(uintptr_t a, uintptr_t b, int c, int d, int e, int f, uintptr_t g, uintptr_t h) {
  hop();
  long sum = *(int *)a + *(int *)b * 10;
  hop();
  return sum + *(int *)g * 100 + *(int *)h * 1000 + c + d + e + f;
}

int main(void) {
  int v[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; i++)
    printf("%ld\n", many((uintptr_t)&v[i], (uintptr_t)&v[3 - i], 0, i, 0, i, (uintptr_t)v, (uintptr_t)(v + 1)));
}
