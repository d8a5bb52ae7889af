// va_copy before, between and after moves; both lists are read on, register part and stack part.
#include "hop.h"
#include <stdarg.h>

static NOINLINE long twice(int n, ...) {
  va_list a, b, c;
  long s = 0;
  va_start(a, n);
  va_copy(b, a);
  hop();
  for (int i = 0; i < n; i++) {
    s = s * 3 + *va_arg(a, long *);
    if (i == n / 2)
      va_copy(c, a);
    hop();
  }
  for (int i = 0; i < n; i++) {
    s = s * 5 + *va_arg(b, long *);
    hop();
  }
  for (int i = n / 2 + 1; i < n; i++) {
    hop();
    s = s * 7 + *va_arg(c, long *);
  }
  va_end(c);
  va_end(b);
  va_end(a);
  return s;
}

int main(void) {
  long v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  printf("%ld\n", twice(3, v, v + 1, v + 2));
  printf("%ld\n", twice(8, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7));
}
