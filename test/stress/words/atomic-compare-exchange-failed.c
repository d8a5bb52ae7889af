// An exchange that fails gives the address that is there; it is used after a call.
#include "words.h"
#include <stdatomic.h>

static NOINLINE long found(long *_Atomic *cell, long *guess, long *wanted) {
  long *expected = guess;
  bool done = atomic_compare_exchange_strong(cell, &expected, wanted);
  hop();
  long sum = done * 1000 + *expected;
  hop();
  done = atomic_compare_exchange_strong(cell, &expected, wanted);
  return sum * 10 + done;
}

int main(void) {
  long a = 11, b = 22, c = 33;
  long *_Atomic cell = &a;
  printf("%ld\n", found(&cell, &b, &c));
  printf("%ld\n", *atomic_load(&cell));
}
