// Differences of pointers as ints and as addresses times eight, across calls.
#include "words.h"

static NOINLINE long use(long *p) {
  long a[8] = {*p, 1, 2, 3, 4, 5, 6, 7};
  long *volatile at = a + 5;
  int d = (int)(at - a);
  unsigned e = (unsigned)(uintptr_t)at - (unsigned)(uintptr_t)a;
  uint64_t times = (uintptr_t)at * 8;
  hop();
  return a[d] * 100 + a[e / 8] * 10 + *(long *)(times / 8);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
