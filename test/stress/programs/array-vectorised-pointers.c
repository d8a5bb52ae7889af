// Arrays of pointers filled, copied, offset and compared in loops that the vectoriser turns into vectors of pointers.
#include "hop.h"

static NOINLINE int run(int n) {
  int a[64];
  int *p[64], *q[64], *r[64];
  for (int i = 0; i < 64; i++)
    a[i] = i ^ n;
  for (int i = 0; i < 64; i++)
    p[i] = a + (63 - i);
  hop();
  for (int i = 0; i < 64; i++)
    q[i] = p[i];
  int equal = 0;
  for (int i = 0; i < 64; i++)
    r[i] = p[i] == a + n ? q[0] : q[i];
  hop();
  for (int i = 0; i < 64; i++)
    equal += p[i] == r[i];
  hop();
  int sum = equal;
  for (int i = 0; i < 64; i++)
    sum = (sum * 3 + *r[i]) % 1000003;
  return sum;
}

int main(void) {
  for (int n = 0; n < 64; n += 9)
    printf("%d\n", run(n));
}
