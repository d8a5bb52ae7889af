// A pointer to one array is used to walk in another, by the distance between both, in integers.
#include "words.h"

static const long table[4] = {10, 20, 30, 40};

static NOINLINE long sum(const long *a, int count) {
  intptr_t bias = (intptr_t)table - (intptr_t)a;
  long total = 0;
  for (const long *p = a; p < a + count; p++) {
    hop();
    total = total * 3 + *p * *(const long *)((intptr_t)p + bias);
  }
  return total;
}

int main(void) {
  long a[4] = {1, 2, 3, 4};
  hop_pointer(a);
  printf("%ld\n", sum(a, 4));
}
