// Locals with disjoint lifetimes whose stack slots may be shared: a pointer in one scope, an integer in the next.
#include "hop.h"

static NOINLINE void set(int **p, int *to) {
  hop();
  *p = to;
}
static NOINLINE void count(long *n, long to) {
  hop();
  *n = to;
}

static NOINLINE long scopes(int n) {
  long sum = 0;
  int v[4] = {1, 2, 3, 4};
  for (int i = 0; i < n; i++) {
    {
      int *p[4];
      for (int j = 0; j < 4; j++)
        set(&p[j], &v[(i + j) % 4]);
      hop();
      sum = sum * 3 + *p[i % 4];
    }
    {
      long k[4];
      for (int j = 0; j < 4; j++)
        count(&k[j], i * j);
      hop();
      sum = sum * 3 + k[i % 4];
    }
    {
      double d[4] = {i, 0.5, 1.5, 2.5};
      struct {
        int *p, *q;
      } two;
      set(&two.p, &v[0]);
      set(&two.q, &v[3]);
      hop();
      sum += (long)(d[i % 4] * 2) + *two.p * *two.q;
    }
  }
  return sum;
}

int main(void) {
  for (int n = 0; n < 9; n += 2)
    printf("%ld\n", scopes(n));
}
