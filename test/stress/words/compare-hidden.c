// The order of two hidden addresses is computed, and computed again after calls.
#include "words.h"

static NOINLINE long wrong(long *p, long *q) {
  uint64_t k = key();
  long result = 0;
  for (int i = 0; i < 50; i++) {
    bool before = (((uintptr_t)p ^ k) * k) < (((uintptr_t)q ^ k) * k);
    hop();
    result += before != ((((uintptr_t)p ^ k) * k) < (((uintptr_t)q ^ k) * k));
  }
  return result;
}

int main(void) {
  long a[2] = {1, 2}, b = 3;
  hop_pointer(a);
  long sum = wrong(a, a + 1) + wrong(a, &b);
  printf("%ld\n", sum);
}
