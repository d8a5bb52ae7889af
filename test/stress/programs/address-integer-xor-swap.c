// Two pointers swapped by exclusive or, a call between each step.
// refused (O0): number
#include "hop.h"

static NOINLINE int swapped(int *p, int *q) {
  uintptr_t a = (uintptr_t)p, b = (uintptr_t)q;
  a ^= b;
  hop();
  b ^= a;
  hop();
  a ^= b;
  hop();
  return *(int *)a * 10 + *(int *)b;
}

int main(void) {
  int x = 3, y = 4;
  printf("%d %d\n", swapped(&x, &y), swapped(&y, &x));
}
