// Two arrays are walked with indices of which one mirrors the other; writes as well.
#include "words.h"

static NOINLINE void mirror(int *to, const int *from, long low, long high) {
  for (long i = low, j = high - 1; i < high; i++, j--) {
    hop();
    to[j - low] = from[high - 1 - i] + to[high - 1 - j];
    hop();
  }
}

int main(void) {
  int a[4] = {1, 2, 3, 4}, b[4] = {0};
  hop_pointer(a);
  hop_pointer(b);
  long low = hop_long(1L << 34);
  mirror(b, a, low, low + 4);
  for (int i = 0; i < 4; i++)
    printf("%d\n", b[i]);
}
