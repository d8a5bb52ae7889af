// The smaller and larger of pointers, and of what they point to, as selects carried across calls.
#include "hop.h"

static NOINLINE int *least(int **p, int n) {
  int *low = p[0], *high = p[0];
  for (int i = 1; i < n; i++) {
    low = p[i] < low ? p[i] : low;
    high = p[i] > high ? p[i] : high;
    hop();
  }
  *high += 100;
  hop();
  return low < high ? low : high;
}

static NOINLINE int *smallest(int *p, int n) {
  int *best = p;
  for (int *q = p + 1; q < p + n; q++) {
    best = *q < *best ? q : best;
    hop();
  }
  return best;
}

int main(void) {
  int a[12], *p[8];
  for (int i = 0; i < 12; i++)
    a[i] = (i * 5 + 7) % 12;
  for (int i = 0; i < 8; i++)
    p[i] = a + (i * 7 + 3) % 12;
  printf("%ld ", (long)(least(p, 8) - a));
  for (int i = 0; i < 12; i++)
    printf("%d ", a[i]);
  printf("%ld\n", (long)(smallest(a, 12) - a));
}
