// A number is added to each address of a vector, and its lanes change places.
#include "words.h"

typedef unsigned long quad __attribute__((vector_size(32)));

static NOINLINE long use(long *p) {
  quad v = {(uintptr_t)p, (uintptr_t)(p + 1), (uintptr_t)(p + 2), (uintptr_t)(p + 3)};
  v += (uint64_t)number();
  v = __builtin_shufflevector(v, v, 3, 2, 1, 0);
  hop();
  v -= (uint64_t)number();
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
