// A tag set and cleared within one function, the tagged word a scalar that optimisation keeps in a register.
#include "hop.h"

static NOINLINE long visit(long *p, unsigned odd) {
  uintptr_t t = (uintptr_t)p | (odd & 1);
  hop();
  if (t & 1) {
    hop();
    return -*(long *)(t - 1);
  }
  hop();
  return *(long *)t;
}

int main(void) {
  long a[4] = {1, 2, 3, 4};
  for (int i = 0; i < 8; i++)
    printf("%ld\n", visit(a + i % 4, (unsigned)i));
}
