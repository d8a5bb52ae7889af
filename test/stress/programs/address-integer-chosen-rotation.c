// Of two addresses one is rotated, and between its halves the stack moves: the address that the word was made of lies
// elsewhere by then, and that is what the runtime must see.
// refused: ambiguous, number
#include "hop.h"

static volatile int seven = 7;
static NOINLINE int places(void) {
  hop();
  return seven;
}

static uintptr_t rotated(long *p) {
  uintptr_t v = (uintptr_t)p;
  return v << places() | v >> (64 - places());
}

static long *back(uintptr_t v) { return (long *)(v >> places() | v << (64 - places())); }

static NOINLINE long chosen(long n) {
  long x[3] = {n, n + 10, n + 20};
  uintptr_t v = rotated(x + n % 2);
  if (n % 3 == 1)
    v = rotated(x + 2);
  long sum = *back(v);
  hop();
  return sum * 100 + *back(v);
}

int main(void) {
  for (long n = 0; n < 12; n++)
    printf("%ld\n", chosen(n));
}
