// Pointers, doubles, long doubles, wide integers and structs interleaved, most of them in the outgoing area.
#include "hop.h"

struct pair {
  double d;
  int *p;
};

static NOINLINE double mixed(double a, double b, double c, double d, double e, double f, double g, double h, double *i,
                             double j, long double k, int *l, int *m, int *n, int *o, int *p, struct pair q,
                             unsigned __int128 r, int *s, float t) {
  hop();
  double sum = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + *i * 9 + j * 10;
  hop();
  sum += (double)k + *l + *m * 2 + *n * 3 + *o * 4 + *p * 5;
  hop();
  *i += 1;
  q.p = s;
  hop();
  return sum + q.d + *q.p + (double)(long)(r >> 64) + *s + (double)t;
}

static NOINLINE double call(int *v, double *w) {
  struct pair q = {w[1], v};
  double first = mixed(1, 2, 3, 4, 5, 6, 7, 8, w, 9, 10.5L, v, v + 1, v + 2, v + 3, v, q,
                       (unsigned __int128)v[0] << 64 | 1, v + 2, 0.5f);
  hop();
  return first + mixed(w[0], w[1], 0, 0, 0, 0, 0, *w, w + 1, *w, *w, v, v, v, v, v, q, 0, q.p, 1) + *q.p;
}

int main(void) {
  int v[4] = {1, 2, 3, 4};
  double w[2] = {0.25, 0.75};
  for (int i = 0; i < 4; i++, v[i & 3] += 3)
    printf("%g\n", call(v, w));
}
