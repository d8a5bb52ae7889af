// A large global table of integers holds an address of the stack.
// changes: globals
#include "words.h"

static uintptr_t table[20000];

static NOINLINE void put(long *p) { table[19000 + number()] = (uintptr_t)p; }

static NOINLINE long use(long *p) {
  put(p);
  hop();
  return *(long *)table[19000 + number()];
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
