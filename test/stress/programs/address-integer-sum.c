// The sum of two addresses crosses a call (coefficient 2 in one of them), then one is taken away again.
// refused (O0): number
#include "hop.h"

static NOINLINE int half(int *p, int *q) {
  uintptr_t sum = (uintptr_t)p + (uintptr_t)q;
  hop();
  int *other = (int *)(sum - (uintptr_t)p);
  return *other;
}

int main(void) {
  int a[4] = {11, 22, 33, 44};
  for (int i = 0; i < 4; i++)
    printf("%d\n", half(a + i, a + (i * 3 + 1) % 4));
}
