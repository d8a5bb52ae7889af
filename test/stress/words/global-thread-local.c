// A thread-local integer holds an address of the stack, hidden and plain.
// changes: process
#include "words.h"
static _Thread_local uintptr_t plain, hidden;

static NOINLINE void put(long *p) {
  plain = (uintptr_t)p;
  hidden = ~(uintptr_t)p;
}

static NOINLINE long use(long *p) {
  long *volatile q = p;
  put(q);
  hop();
  return *(long *)plain * 10 + *(long *)~hidden;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
