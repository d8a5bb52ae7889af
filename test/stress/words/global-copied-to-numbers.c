// An address of the stack is copied into a global array of ints, another one into a double.
// changes: globals
#include "words.h"

static int halves[4];
static double real;

static NOINLINE void put(long *p) {
  memcpy(halves + 1, &p, sizeof p);
  memcpy(&real, &p, sizeof p);
}

static NOINLINE long use(long *p) {
  put(p);
  hop();
  long *h, *r;
  memcpy(&h, halves + 1, sizeof h);
  memcpy(&r, &real, sizeof r);
  return *h * 10 + *r;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
