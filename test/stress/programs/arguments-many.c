// More than six pointer and integer arguments: half of them lie in the caller's outgoing area during the call.
#include "hop.h"

static NOINLINE long many(int *a, long b, int *c, long d, int *e, long f, int *g, long h, int *i, short j, int **k,
                          char l) {
  hop();
  long sum = *a + b * 2 + *c * 3 + d * 4 + *e * 5 + f * 6;
  hop();
  *k = i;
  sum += *g * 7 + h * 8 + *i * 9 + j * 10 + l * 11;
  i = g;
  hop();
  return sum + *i + **k * 1000;
}

static NOINLINE long pass_on(int *a, int *b, int *c, int *d, int *e, int *f, int *g, int *h) {
  int *out = h;
  long n = many(b, 1, c, 2, d, 3, e, 4, f, 5, &out, 6);
  hop();
  return n * 10 + *a + *g + *out;
}

int main(void) {
  int v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 4; i++) {
    v[i] += 10;
    printf("%ld\n", pass_on(v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7));
  }
}
