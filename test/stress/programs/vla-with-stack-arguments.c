// Calls with arguments on the stack from frames of variable size: the stack pointer is another one at each call.
#include "hop.h"

struct box {
  long n[4];
  int *p;
};

static NOINLINE long many(int *a, int *b, int *c, int *d, int *e, int *f, int *g, struct box h, int *i, double x) {
  hop();
  long sum = *a + *b * 2 + *c * 3 + *d * 4 + *e * 5 + *f * 6;
  hop();
  h.p = i;
  hop();
  return sum + *g * 7 + *h.p * 8 + h.n[3] + (long)x;
}

static NOINLINE long frame(int n) {
  int v[n];
  int *p[n];
  for (int i = 0; i < n; i++) {
    v[i] = i * i;
    p[i] = &v[n - 1 - i];
  }
  struct box b = {{n, n, n, n * 3}, v};
  hop();
  long s = many(v, p[0], v + n / 2, p[n / 2], v, p[n - 1], p[0], b, &v[n / 3], 0.5);
  hop();
  b.p = p[n / 3];
  return s * 3 + many(p[0], v, p[1 % n], v + 1 % n, *p, v, v, b, b.p, n + 0.25) + *b.p;
}

int main(void) {
  for (int n = 1; n < 20; n += 3)
    printf("%ld\n", frame(n));
}
