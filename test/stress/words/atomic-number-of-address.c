// An atomic integer holds an address with a tag, which atomic operations add, clear and exchange.
#include "words.h"
#include <stdatomic.h>

static NOINLINE long tagged(_Atomic(uintptr_t) *cell, long *p) {
  atomic_store(cell, (uintptr_t)p);
  hop();
  uintptr_t before = atomic_fetch_or(cell, 1);
  hop();
  long same = before == (uintptr_t)p;
  uintptr_t with = atomic_fetch_and(cell, ~(uintptr_t)1);
  hop();
  same = same * 10 + (with == (uintptr_t)p + 1);
  uintptr_t last = atomic_exchange(cell, 0);
  hop();
  return same * 1000 + *(long *)last;
}

int main(void) {
  long value = 7;
  _Atomic(uintptr_t) cell = 0;
  printf("%ld\n", tagged(&cell, &value));
}
