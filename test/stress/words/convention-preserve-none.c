// A calling convention preserves no registers, and there are addresses in all of them.
#include "words.h"
__attribute__((preserve_none)) static NOINLINE long inner(long *a, long *b, long *c, long *d, long *e, long *f, long *g,
                                                          long *h, long *i, long *j) {
  hop();
  return *a + *b * 2 + *c * 3 + *d * 4 + *e * 5 + *f * 6 + *g * 7 + *h * 8 + *i * 9 + *j * 10;
}
__attribute__((preserve_none)) static NOINLINE long outer(long *a, uint64_t x) {
  long s = inner(a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9);
  return s + *(long *)(x ^ 0xf0f0f0f0) + a[9];
}
int main(void) {
  long a[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  printf("%ld\n", outer(a, (uintptr_t)&a[4] ^ 0xf0f0f0f0));
}
