// An index of 64 bits without a sign that counts through zero.
#include "words.h"

static NOINLINE long sum(const int *a, uint64_t from, uint64_t count) {
  long total = 0;
  for (uint64_t i = from; i != from + count; i++) {
    total = total * 10 + a[i - from];
    hop();
  }
  return total;
}

int main(void) {
  int a[5] = {1, 2, 3, 4, 5};
  hop_pointer(a);
  printf("%ld\n", sum(a, (uint64_t)hop_long(-2), 5));
}
