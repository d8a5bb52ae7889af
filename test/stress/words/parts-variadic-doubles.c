// Addresses are passed through `...` as doubles, and are read with va_list.
#include "words.h"

#include <stdarg.h>
static NOINLINE double as_double(long *p) {
  double d;
  memcpy(&d, &p, 8);
  return d;
}
static NOINLINE long add(int n, ...) {
  va_list list, again;
  va_start(list, n);
  va_copy(again, list);
  long s = 0;
  for (int i = 0; i < n; i++) {
    hop();
    double d = va_arg(list, double);
    hop();
    long *p;
    memcpy(&p, &d, 8);
    s = s * 10 + *p;
  }
  for (int i = 0; i < n; i++) {
    double d = va_arg(again, double);
    long *p;
    memcpy(&p, &d, 8);
    s = s * 10 + *p;
  }
  va_end(list);
  va_end(again);
  return s;
}
static NOINLINE long use(long *p) {
  double d = as_double(p);
  return add(10, d, d, d, d, d, d, d, d, d, d) % 1000;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
