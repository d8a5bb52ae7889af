// The C library makes something else of an address in memory.
#define _GNU_SOURCE
#include "words.h"

static NOINLINE long use(long *p, UNUSED long *q) {
  long *v = p;
  memfrob(&v, 8);
  hop();
  memfrob(&v, 8);
  return *v;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
