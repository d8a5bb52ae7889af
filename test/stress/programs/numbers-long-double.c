// x87 values live across calls, in arrays, by value, by pointer, returned; compared after moves.
#include "hop.h"

struct point {
  long double x, y;
  long double *scale;
};

static NOINLINE long double length(struct point p) {
  hop();
  long double s = p.x * p.x + p.y * p.y;
  hop();
  return s * *p.scale;
}

static NOINLINE long double series(int n) {
  long double term = 1, sum = 0, parts[4] = {0}, *at = parts;
  for (int i = 1; i <= n; i++) {
    sum += term;
    hop();
    term /= i;
    *at += term;
    at = parts + i % 4;
    int larger = term > parts[0];
    hop();
    sum += larger ? 0 : 0.0001L;
  }
  return sum + parts[0] + 2 * parts[1] + 3 * parts[2];
}

int main(void) {
  long double scale = 1.5L;
  for (int i = 0; i < 6; i++) {
    struct point p = {i + 0.25L, 3 - i, &scale};
    printf("%.12Lf %.12Lf\n", length(p), series(i * 4));
    scale *= 1.25L;
  }
}
