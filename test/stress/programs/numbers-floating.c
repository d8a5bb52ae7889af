// floats and doubles live across calls, many at once, beside pointers to them.
#include "hop.h"

static NOINLINE double half(double *d) {
  hop();
  return *d / 2;
}

static NOINLINE double many(float x, double y) {
  float a = x + 1, b = x * 2, c = x - 3;
  double d = y * 4, e = y / 5, f = y + 6, g = y * y, h = y - 7;
  hop();
  double sum = a * d + b * e;
  hop();
  sum += c * f + g * h;
  double *p = x > 1 ? &d : &e;
  sum += half(p) + half(&f);
  hop();
  *p += a;
  return sum + d + e * 2 + f * 3 + g * 4 + h * 5 + b + c;
}

int main(void) {
  for (int i = 0; i < 6; i++)
    printf("%.9g\n", many((float)i * 0.75f, 3.5 - i));
}
