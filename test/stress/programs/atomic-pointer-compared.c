// A failed compare-and-exchange gives the pointer that was there, which is used after moves. In machine code it is half
// of a pair of integers.
#include "hop.h"
#include <stdatomic.h>

static NOINLINE unsigned long exchanged(unsigned long *p, unsigned long *q, unsigned long *want) {
  unsigned long x = 3;
  _Atomic(unsigned long *) at = &x;
  unsigned long *old = atomic_exchange(&at, q);
  if (want)
    old = want;
  unsigned long ok = atomic_compare_exchange_strong(&at, &old, p);
  hop();
  if (p == q)
    return ok;
  hop();
  return *old * 10 + ok + x * 100;
}

int main(void) {
  unsigned long a = 1, b = 2;
  unsigned long first = exchanged(&a, &b, NULL), second = exchanged(&a, &b, &a), third = exchanged(&a, &a, &b);
  printf("%lu %lu %lu\n", first, second, third);
}
