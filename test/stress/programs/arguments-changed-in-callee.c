// Parameters assigned in the callee (in its incoming area, the caller's outgoing), their addresses taken.
#include "hop.h"

static NOINLINE void step(int **p) {
  hop();
  ++*p;
}

static NOINLINE int walk(int *a, int *b, int *c, int *d, int *e, int *f, int *g, int *h, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    step(&g);
    step(&a);
    sum = sum * 3 + *g + *a * 2;
    int *t = h;
    h = g;
    hop();
    g = t;
    sum += *h - *f + *b - *c + *d - *e;
    step(&h);
  }
  hop();
  return sum + *g * 100 + *h;
}

int main(void) {
  int v[30];
  for (int i = 0; i < 30; i++)
    v[i] = i * i;
  for (int n = 0; n < 9; n += 2)
    printf("%d\n", walk(v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 12, n));
}
