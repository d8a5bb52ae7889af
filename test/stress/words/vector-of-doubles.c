// A vector of doubles and one of bytes hold addresses.
#include "words.h"

typedef double doubles __attribute__((vector_size(16)));
typedef unsigned char bytes __attribute__((vector_size(16)));

static NOINLINE long use(long *p, long *q) {
  long *both[2] = {p, q}, *back[2], *again[2];
  doubles d;
  bytes b;
  memcpy(&d, both, sizeof d);
  memcpy(&b, both, sizeof b);
  b = __builtin_shufflevector(b, b, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  hop();
  b = __builtin_shufflevector(b, b, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  memcpy(back, &d, sizeof d);
  memcpy(again, &b, sizeof b);
  return *back[0] * 1000 + *back[1] * 100 + *again[0] * 10 + *again[1];
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
