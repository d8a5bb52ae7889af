// The sum of two addresses without a third is an address; twice one without another, too.
#include "words.h"

static NOINLINE long use(long *p, long *q, long *r) {
  uintptr_t a = (uintptr_t)p + (uintptr_t)q - (uintptr_t)r, b = 2 * (uintptr_t)q - (uintptr_t)p;
  hop();
  return *(long *)a * 10 + *(long *)b;
}

int main(void) {
  long a[4] = {1, 2, 3, 4};
  hop_pointer(a);
  printf("%ld\n", use(a, a + 1, a + 1) * 100 + use(a + 1, a + 2, a));
}
