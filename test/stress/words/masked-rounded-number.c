// An address is rounded down far beyond its object by a mask of a number, and kept as a pointer.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  char *base = (char *)((uintptr_t)p & ~((1ul << 22) - 1)), *kept[1] = {(char *)((uintptr_t)q & ~((1ul << 24) - 1))};
  long wrong = 0;
  for (int i = 0; i < 30; i++) {
    hop_pointer(kept), p = hop_pointer(p), q = hop_pointer(q);
    wrong += base != (char *)((uintptr_t)p & ~((1ul << 22) - 1));
    wrong += kept[0] != (char *)((uintptr_t)q & ~((1ul << 24) - 1));
  }
  return wrong;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
