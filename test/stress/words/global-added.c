// A global integer holds an address of the stack plus a large number.
// changes: globals
#include "words.h"

static uint64_t kept;

static NOINLINE void put(long *p) { kept = (uintptr_t)p + (UINT64_C(1) << 50); }

static NOINLINE long use(long *p) {
  long *volatile q = p;
  put(q);
  hop();
  long sum = *(long *)(kept - (UINT64_C(1) << 50));
  hop();
  return sum * 10 + ((long *)(kept - (UINT64_C(1) << 50)) == q);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
