// AVX: four addresses in a register of 256 bits, hidden by a key, are passed to a function that the compiler does not
// see.
// flags: -mavx2
#include "words.h"
typedef unsigned long quad __attribute__((vector_size(32)));

static NOINLINE quad hide(quad v) { return v ^ key(); }
static quad (*volatile hide_it)(quad) = hide;

static NOINLINE long use(long *p) {
  quad v = {(uintptr_t)p, (uintptr_t)(p + 1), (uintptr_t)(p + 2), (uintptr_t)(p + 3)};
  v = hide_it(v);
  hop();
  v = hide_it(v);
  hop();
  long sum = 0;
  for (int i = 0; i < 4; i++)
    sum = sum * 10 + *(long *)v[i];
  return sum;
}

int main(void) {
  long a[] = {1, 2, 3, 4};
  hop_pointer(a);
  printf("%ld\n", use(a));
}
