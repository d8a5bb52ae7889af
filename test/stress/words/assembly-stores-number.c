// Inline assembly stores a number that hides an address, and makes one of an address.
// changes: globals
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static uint64_t w, x;

static NOINLINE long use(long *p, long *q) {
  __asm__("movq %1, %0" : "=m"(w) : "r"((uintptr_t)p ^ key()));
  __asm__("movq %1, %%rax\n\txorq %2, %%rax\n\tmovq %%rax, %0" : "=m"(x) : "r"((uintptr_t)q), "r"(key()) : "rax", "cc");
  hop();
  return *address(w ^ key()) * 10 + *address(x ^ key());
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
