// An atomic struct of a pointer (8 bytes, so a plain integer exchange) and one in a union-free wrapper.
#include "hop.h"
#include <stdatomic.h>

struct wrapped {
  long *p;
};

static NOINLINE long replace(_Atomic struct wrapped *cell, long *with) {
  struct wrapped w = {with};
  struct wrapped old = atomic_exchange(cell, w);
  hop();
  struct wrapped now = atomic_load(cell);
  hop();
  return *old.p * 100 + *now.p;
}

int main(void) {
  long a[5] = {1, 2, 3, 4, 5};
  _Atomic struct wrapped cell;
  struct wrapped first = {a};
  atomic_init(&cell, first);
  for (int i = 1; i < 5; i++)
    printf("%ld\n", replace(&cell, a + i));
}
