// volatile pointers and pointers to volatile, which no optimiser may promote, assigned through one another.
#include "hop.h"

static NOINLINE int through(volatile int *volatile *pp) {
  volatile int *volatile q = *pp;
  hop();
  volatile int local = *q + 1;
  volatile int *volatile r = &local;
  hop();
  *pp = r;
  hop();
  **pp += 5;
  int result = *r * 10 + *q;
  *pp = q;
  return result;
}

int main(void) {
  volatile int a = 6;
  volatile int *volatile p = &a;
  for (int i = 0; i < 3; i++, a += 2)
    printf("%d %d\n", through(&p), *p);
}
