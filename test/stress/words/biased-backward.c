// A loop runs upwards over indices and reads downwards; the optimiser makes a pointer far behind the array.
#include "words.h"

static NOINLINE long sum(const long *a, long low, long high) {
  long total = 0;
  for (long i = low; i < high; i++) {
    hop();
    total = total * 10 + a[high - 1 - i];
  }
  return total;
}

int main(void) {
  long a[4] = {1, 2, 3, 4};
  hop_pointer(a);
  long huge = hop_long(1L << 40);
  printf("%ld\n", sum(a, huge, huge + 4));
}
