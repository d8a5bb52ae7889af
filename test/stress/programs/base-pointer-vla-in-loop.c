// A VLA of another size in every turn of a loop, beside an over-aligned local and pointers into both.
#include "hop.h"

static NOINLINE int turns(int n) {
  _Alignas(64) int total[4] = {0};
  int *t = total;
  for (int i = 1; i <= n; i++) {
    int square[i];
    int *last = square + i - 1;
    for (int j = 0; j < i; j++)
      square[j] = j * j;
    hop();
    *t += *last;
    hop();
    t = total + (i & 3);
    *t += square[i / 2];
  }
  hop();
  return total[0] + total[1] * 10 + total[2] * 100 + total[3] * 1000;
}

int main(void) {
  for (int n = 0; n < 12; n++)
    printf("%d\n", turns(n));
}
