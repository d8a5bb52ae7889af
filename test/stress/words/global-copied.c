// Addresses of the stack are copied into globals: an array of characters, one of doubles, a union, in odd places.
// changes: globals
#include "words.h"

static char bytes[24];
static double reals[2];
static union {
  long *pointer;
  unsigned long number;
} word;

static NOINLINE void put(long *p) {
  memcpy(bytes + 5, &p, sizeof p);
  memcpy(reals + 1, &p, sizeof p);
  word.number = ~(unsigned long)p;
}

static NOINLINE long use(long *p) {
  long *volatile q = p;
  put(q);
  hop();
  long *b, *r;
  memcpy(&b, bytes + 5, sizeof b);
  memcpy(&r, reals + 1, sizeof r);
  return *b * 100 + *r * 10 + *(long *)~word.number;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
