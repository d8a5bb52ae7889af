// A global integer holds a hidden address of the stack.
// changes: globals
#include "words.h"

static uintptr_t kept;

static NOINLINE void put(long *p) { kept = (uintptr_t)p ^ key(); }

static NOINLINE long use(long *p) {
  long *volatile q = p;
  put(q);
  hop();
  long sum = *(long *)(kept ^ key());
  hop();
  return sum * 10 + ((long *)(kept ^ key()) == q);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
