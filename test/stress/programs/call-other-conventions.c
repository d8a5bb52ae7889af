// Functions of other calling conventions between ordinary frames: ms_abi, preserve_most, preserve_all, regcall.
// pinned: frame
// refused (growable): foreign
#include "hop.h"

#if defined(__clang__)
#define MOST __attribute__((preserve_most))
#define ALL __attribute__((preserve_all))
#define REGISTERS __attribute__((regcall))
#else
#define MOST
#define ALL
#define REGISTERS
#endif

static NOINLINE __attribute__((ms_abi)) int windows(int *p, int *q, int n, double d, int *fifth) {
  hop();
  int sum = *p + *q * 10 + n;
  hop();
  return sum + (int)d + *fifth * 100;
}

static NOINLINE MOST int most(int *p, int n) {
  int mine = n, *q = &mine;
  hop();
  *p += *q;
  return *p;
}

static NOINLINE ALL void all(int *p, double *d) {
  hop();
  *d += *p;
}

static NOINLINE REGISTERS int registers(int *a, int *b, int *c, int *d, int *e, int *f, int *g, int *h) {
  hop();
  return *a + *b + *c + *d + *e + *f + *g + *h;
}

static NOINLINE int caller(int a, int b) {
  int x = a, y = b, *p = &x, *q = &y;
  double d = 0.5, e = a;
  int sum = windows(p, q, 3, d + e, &y);
  hop();
  sum += most(p, b);
  all(q, &d);
  sum += most(q, a);
  hop();
  return sum * 10 + registers(p, q, p, q, p, q, p, q) + (int)(d + e) + *p + *q;
}

int main(void) {
  for (int i = 0; i < 5; i++)
    printf("%d\n", caller(i, i * 3 + 1));
}
