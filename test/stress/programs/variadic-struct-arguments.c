// Structs passed through `...`: in two registers, in memory, with pointers to locals in them.
#include "hop.h"
#include <stdarg.h>

struct two {
  int *p;
  long n;
};
struct four {
  int *p;
  double d;
  int *q;
  long n;
};

static NOINLINE long sum(int n, ...) {
  va_list list;
  va_start(list, n);
  long s = 0;
  for (int i = 0; i < n; i++) {
    struct two t = va_arg(list, struct two);
    hop();
    struct four f = va_arg(list, struct four);
    hop();
    s = s * 3 + *t.p + t.n + *f.p * 2 + (long)f.d + *f.q * 4 + f.n;
  }
  va_end(list);
  return s;
}

int main(void) {
  int a[4] = {1, 2, 3, 4};
  struct two t = {a, 10}, u = {a + 1, 20};
  struct four f = {a + 2, 0.5, a + 3, 30}, g = {a + 3, 8.0, a, 40};
  printf("%ld\n", sum(1, t, f));
  printf("%ld\n", sum(2, t, f, u, g));
  printf("%ld\n", sum(4, t, f, u, g, u, f, t, g));
}
