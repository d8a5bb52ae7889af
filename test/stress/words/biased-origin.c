// An array whose first index is a large number of run time.
#include "words.h"

static NOINLINE long sum(const long *a, long origin, long count) {
  long total = 0;
  for (long i = origin; i < origin + count; i++) {
    hop();
    total = total * 10 + a[i - origin];
    hop();
  }
  return total;
}

int main(void) {
  long a[4] = {1, 2, 3, 4};
  hop_pointer(a);
  printf("%ld %ld\n", sum(a, hop_long(1L << 35), 4), sum(a, hop_long(-(1L << 33)), 4));
}
