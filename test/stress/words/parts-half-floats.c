// Four 16-bit floating-point numbers.
#include "words.h"
typedef _Float16 H4 __attribute__((vector_size(8)));
static NOINLINE long use(long *p) {
  union {
    long *p;
    H4 h;
  } u = {p};
  H4 h = u.h;
  h = __builtin_shufflevector(h, h, 2, 3, 0, 1);
  hop();
  u.h = __builtin_shufflevector(h, h, 2, 3, 0, 1);
  return *u.p;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
