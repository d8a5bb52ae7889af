// Inline assembly reads the halves of an address in memory.
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long use(long *p, UNUSED long *q) {
  long *v = p;
  unsigned lo, hi;
  __asm__("movl %2, %0\n\tmovl 4%2, %1" : "=&r"(lo), "=&r"(hi) : "m"(v));
  hop();
  return *address((uintptr_t)hi << 32 | lo);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
