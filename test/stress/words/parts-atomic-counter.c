// A pointer and an ABA counter in one __int128, turned by 20 bits across calls.
#include "words.h"

typedef unsigned __int128 wide;
static NOINLINE long use(long *p, long *q) {
  wide head = (wide)(uintptr_t)p << 20 | 3;
  wide next = (wide)(uintptr_t)q << 20 | 4;
  hop();
  long s = 0;
  for (int i = 0; i < 2; i++) {
    long *at = (long *)(uintptr_t)(head >> 20);
    hop();
    s = s * 10 + *at + (long)(head & 0xfffff);
    head = next;
  }
  return s;
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
