// An alloca array of words holds addresses with halves swapped.
#include "words.h"

static NOINLINE long use(long *p, int n) {
  uint64_t *w = __builtin_alloca(n * sizeof *w);
  for (int i = 0; i < n; i++)
    w[i] = (uintptr_t)p << 32 | (uintptr_t)p >> 32;
  hop();
  long s = 0;
  for (int i = 0; i < n; i++)
    s = s * 10 + *(long *)(w[i] << 32 | w[i] >> 32);
  return s;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a, (int)number() - 4));
}
