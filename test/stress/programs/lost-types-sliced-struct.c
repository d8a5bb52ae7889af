// A local struct whose fields are used apart, so that it is cut into pieces; part of it lives on as raw bytes.
#include "hop.h"
#include <string.h>

struct wide {
  int a;
  int *p, *q;
  char c[4];
  struct {
    int *r;
    long n;
  } inner;
};

static NOINLINE void fill(int **p) { *p += 1; }

static NOINLINE long cut(int *x, long n) {
  struct wide w;
  w.a = 1;
  w.p = x;
  w.q = x + 1;
  w.c[0] = 2;
  w.inner.r = x + 2;
  w.inner.n = n;
  hop();
  struct wide v;
  memcpy(&v.p, &w.p, offsetof(struct wide, inner.n) - offsetof(struct wide, p));
  hop();
  fill(&v.inner.r);
  hop();
  return *v.p + *v.q * 10 + *v.inner.r * 100 + *w.inner.r * 1000 + w.a + v.c[0] + w.inner.n;
}

int main(void) {
  int x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 5; i++)
    printf("%ld\n", cut(x + i, i * 100000));
}
