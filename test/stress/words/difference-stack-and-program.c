// The distance from a global to a local is kept over calls. Added to the global it leads to the local.
#include "words.h"

static char global[8];

static NOINLINE long use(long *p) {
  intptr_t distance = (intptr_t)p - (intptr_t)global;
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    long *back = (long *)((intptr_t)global + distance);
    sum = sum * 10 + *back;
  }
  return sum;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
