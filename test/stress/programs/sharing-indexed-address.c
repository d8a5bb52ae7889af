// The same indexed address of a local before and after a call in one basic block: one node for instruction selection.
#include "hop.h"

static NOINLINE int both(long i, long j) {
  int a[16];
  for (int k = 0; k < 16; k++)
    a[k] = k * 3;
  hop();
  a[i] += 1;
  a[i + 2 * j] += 7;
  hop();
  a[i] += 10;
  a[i + 2 * j] += 70;
  hop();
  a[i] += 100;
  int *p = &a[i], *q = &a[i + 2 * j];
  hop();
  *p += 1000;
  *q += 700;
  hop();
  int sum = 0;
  for (int k = 0; k < 16; k++)
    sum = (sum * 3 + a[k]) % 1000003;
  return sum;
}

int main(void) {
  for (long i = 0; i < 8; i++)
    printf("%d\n", both(i, (i * 3) % 4));
}
