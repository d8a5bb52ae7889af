// Every third element, from an index of run time, forwards and backwards; the bounds are ints.
#include "words.h"

static NOINLINE long sum(const short *a, int from, int to) {
  long total = 0;
  for (int i = from; i < to; i += 3) {
    hop();
    total = total * 10 + a[(i - from) / 3];
  }
  for (int i = to - 3; i >= from; i -= 3) {
    hop();
    total = total * 10 + a[to - 3 - i];
  }
  return total;
}

int main(void) {
  short a[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
  hop_pointer(a);
  int from = (int)hop_long(2000000000);
  printf("%ld\n", sum(a, from, from + 12));
}
