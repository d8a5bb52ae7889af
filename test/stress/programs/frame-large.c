// Frames of 100 KB and 300 KB with pointers at both ends.
// options: stress_every=3
#include "hop.h"
#include <string.h>

static NOINLINE int large(int n, int **out) {
  int a[25000];
  a[0] = n;
  a[24999] = n * 2;
  int *low = a, *high = &a[24999];
  hop();
  *low += *high;
  if (n) {
    int *inner = low;
    int r = large(n - 1, &inner);
    hop();
    return r + *low + *high + *inner;
  }
  *out = *out + 1;
  hop();
  return *low;
}

static NOINLINE long larger(long n) {
  long a[40000], *p[20];
  memset(a, 0, sizeof a); /* else it holds what `large` has left there, addresses among it */
  for (int i = 0; i < 20; i++) {
    p[i] = a + i * 2000 + n;
    *p[i] = i;
  }
  hop();
  long s = 0;
  for (int i = 0; i < 20; i++) {
    s = s * 3 + *p[i];
    hop();
  }
  return s + a[n];
}

int main(void) {
  int v[2] = {5, 6}, *p = v;
  printf("%d %d\n", large(2, &p), *p);
  printf("%ld\n", larger(17));
}
