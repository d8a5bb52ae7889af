// A vector of floats holds the halves of two addresses, shuffled.
#include "words.h"

typedef float floats __attribute__((vector_size(16)));
static NOINLINE long use(long *p, long *q) {
  long *both[2] = {p, q}, *back[2];
  floats f;
  memcpy(&f, both, sizeof f);
  f = __builtin_shufflevector(f, f, 3, 0, 1, 2);
  hop();
  f = __builtin_shufflevector(f, f, 1, 2, 3, 0);
  memcpy(back, &f, sizeof f);
  return *back[0] * 10 + *back[1];
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
