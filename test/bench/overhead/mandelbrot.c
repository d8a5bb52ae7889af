/* The Mandelbrot set with complex numbers as structs by value, every operation a call. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct complex {
  double re, im;
};
__attribute__((noinline)) static struct complex square_plus(struct complex z, struct complex c) {
  return (struct complex){z.re * z.re - z.im * z.im + c.re, 2 * z.re * z.im + c.im};
}
__attribute__((noinline)) static int escapes(const struct complex *z) { return z->re * z->re + z->im * z->im > 4; }
__attribute__((noinline)) static int iterations(struct complex c, int limit, struct complex *last) {
  struct complex z = {0, 0};
  int n = 0;
  for (; n < limit && !escapes(&z); n++)
    z = square_plus(z, c);
  *last = z;
  return n;
}
int main(void) {
  long total = 0;
  double sum = 0;
  /* With fewer rounds there are fewer lines, spread over the whole set. */
  for (int y = 0; y < 300; y += 300 / ROUNDS(300))
    for (int x = 0; x < 400; x++) {
      struct complex last;
      total += iterations((struct complex){-2 + x * 3.0 / 400, -1.2 + y * 2.4 / 300}, 3000, &last);
      sum += last.re;
    }
  printf("%ld %.9f\n", total, sum);
  return 0;
}
