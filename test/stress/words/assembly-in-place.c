// Inline assembly changes addresses where they lie.
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long use(long *p, long *q) {
  uintptr_t v = (uintptr_t)p, w = (uintptr_t)q;
  __asm__("xorq %1, %0" : "+m"(v) : "r"(key()));
  __asm__("notq %0" : "+m"(w));
  hop();
  __asm__("xorq %1, %0" : "+m"(v) : "r"(key()));
  __asm__("notq %0" : "+m"(w));
  return *address(v) * 10 + *address(w);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
