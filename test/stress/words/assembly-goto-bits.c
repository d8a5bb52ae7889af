// Inline assembly jumps according to the bits of an address, and the program makes a number of it in that way.
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long use(long *p, long *q) {
  uintptr_t again = 0;
  for (uintptr_t i = 0; i < 48; i++) {
    __asm__ goto("btq %1, %0\n\tjc %l2" : : "r"(p), "r"(i) : "cc" : set);
    continue;
  set:
    again |= (uintptr_t)1 << (47 - i);
  }
  hop();
  return *address(__builtin_bitreverse64(again) >> 16);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
