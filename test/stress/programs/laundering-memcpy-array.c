// Fixed-size memcpy and memmove of pointer arrays: 8, 16, 24, 32 and 64 bytes become integers and vectors.
#include "hop.h"
#include <string.h>

static NOINLINE int shuffle(int **p) {
  int *one[1], *two[2], *three[3], *four[4], *eight[8];
  memcpy(one, p + 7, sizeof one);
  memcpy(two, p + 5, sizeof two);
  memcpy(three, p + 2, sizeof three);
  hop();
  memcpy(four, p + 1, sizeof four);
  memcpy(eight, p, sizeof eight);
  hop();
  memmove(p, p + 1, 7 * sizeof *p);
  p[7] = eight[0];
  hop();
  memmove(eight + 1, eight, 56);
  hop();
  return *one[0] + *two[1] * 10 + *three[2] * 100 + *four[3] * 1000 + *eight[7] * 10000 + *p[0] * 100000;
}

int main(void) {
  int a[8];
  int *p[8];
  for (int i = 0; i < 8; i++) {
    a[i] = i + 1;
    p[i] = a + i;
  }
  for (int i = 0; i < 9; i++)
    printf("%d\n", shuffle(p));
}
