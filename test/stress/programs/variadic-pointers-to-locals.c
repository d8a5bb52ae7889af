// Pointers to locals passed through `...`, in registers and on the stack, fetched one by one with calls between.
#include "hop.h"
#include <stdarg.h>

static NOINLINE long sum(int n, ...) {
  va_list list;
  va_start(list, n);
  long s = 0;
  hop();
  for (int i = 0; i < n; i++) {
    int *p = va_arg(list, int *);
    hop();
    s = s * 3 + *p;
    ++*p;
  }
  va_end(list);
  return s;
}

int main(void) {
  int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9;
  for (int k = 0; k < 3; k++) {
    printf("%ld ", sum(2, &a, &b));
    printf("%ld ", sum(5, &a, &b, &c, &d, &e));
    printf("%ld\n", sum(9, &a, &b, &c, &d, &e, &f, &g, &h, &i));
  }
  printf("%d\n", a + b * 10 + c * 100 + d + e + f + g + h + i);
}
