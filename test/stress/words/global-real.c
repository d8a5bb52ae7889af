// A global double holds an address of the stack as a number.
// changes: globals
#include "words.h"

static double kept;

static NOINLINE void put(long *p) { kept = (double)(uintptr_t)p; }

static NOINLINE long use(long *p) {
  long *volatile q = p;
  put(q);
  hop();
  long sum = *(long *)(uintptr_t)kept;
  hop();
  return sum * 10 + ((long *)(uintptr_t)kept == q);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
