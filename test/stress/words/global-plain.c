// A global integer holds an address of the stack.
// changes: globals
#include "words.h"

static uintptr_t kept;

static NOINLINE void put(long *p) { kept = (uintptr_t)p; }

static NOINLINE long use(long *p) {
  long *volatile q = p;
  put(q);
  hop();
  long sum = *(long *)kept;
  hop();
  return sum * 10 + ((long *)kept == q);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
