// One of two addresses is rotated, and the stack moves between the two halves of the rotation. The address that the
// word was made of then lies elsewhere, and the runtime must see that.
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
