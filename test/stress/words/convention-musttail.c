// Hidden addresses are passed on by tail calls that must be made as such.
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long last(uint64_t h, long n, long *q) {
  hop();
  return *address(h ^ key()) + n * 10 + *q * 100;
}

static NOINLINE long middle(uint64_t h, long n, long *q) {
  hop();
  if (n > 3) __attribute__
    ((musttail)) return last(h, n, q);
  __attribute__((musttail)) return middle(h, n + 1, q);
}

static NOINLINE long use(long *p, long *q) { return middle((uintptr_t)p ^ key(), 0, q); }

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
