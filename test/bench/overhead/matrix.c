/* Matrices by value in structs, elements through accessor functions. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
enum { N = 6 };
struct matrix {
  double a[N][N];
};
__attribute__((noinline)) static double get(const struct matrix *m, int i, int j) { return m->a[i][j]; }
__attribute__((noinline)) static void add_to(struct matrix *m, int i, int j, double x) { m->a[i][j] += x; }
__attribute__((noinline)) static struct matrix zero(void) { return (struct matrix){{{0}}}; }
__attribute__((noinline)) static struct matrix multiply(const struct matrix *a, const struct matrix *b) {
  struct matrix c = zero();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int k = 0; k < N; k++)
        s += get(a, i, k) * get(b, k, j);
      add_to(&c, i, j, s);
    }
  return c;
}
static struct matrix power(struct matrix base, unsigned n) {
  struct matrix result = zero();
  for (int i = 0; i < N; i++)
    result.a[i][i] = 1;
  for (; n; n /= 2) {
    if (n & 1)
      result = multiply(&result, &base);
    base = multiply(&base, &base);
  }
  return result;
}
int main(void) {
  double total = 0;
  for (int round = 0; round < ROUNDS(90000); round++) {
    struct matrix m = zero();
    for (int i = 0; i < N; i++) {
      m.a[i][i] = 0.9 + 0.0001 * (round % 100);
      m.a[i][(i + 1) % N] = 0.05;
      m.a[(i + 2) % N][i] = 0.04;
    }
    struct matrix p = power(m, 1000);
    total += p.a[0][N - 1] / (1 + p.a[1][1]);
  }
  printf("%.10g\n", total);
  return 0;
}
