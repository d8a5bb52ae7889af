// The middle of two addresses, as a sum that is halved.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  uintptr_t sum = (uintptr_t)p + (uintptr_t)q;
  hop();
  long first = *(long *)(sum / 2);
  hop();
  return first * 10 + *(long *)(sum - (uintptr_t)p);
}

int main(void) {
  long a[3] = {1, 2, 3};
  hop_pointer(a);
  printf("%ld\n", use(a, a + 2));
}
