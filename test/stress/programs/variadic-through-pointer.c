// Variadic functions called through a table of pointers, arguments of a variadic call themselves results of calls.
#include "hop.h"
#include <stdarg.h>

static NOINLINE int largest(int n, ...) {
  va_list list;
  va_start(list, n);
  int m = -1000;
  while (n--) {
    hop();
    int *p = va_arg(list, int *);
    m = *p > m ? *p : m;
  }
  va_end(list);
  return m;
}

static NOINLINE int last(int n, ...) {
  va_list list;
  va_start(list, n);
  int *p = NULL;
  while (n--) {
    p = va_arg(list, int *);
    hop();
  }
  va_end(list);
  return *p;
}

static int (*volatile table[2])(int, ...) = {largest, last};

int main(void) {
  int a = 4, b = 9, c = -3, d = 7;
  for (int i = 0; i < 2; i++) {
    int (*f)(int, ...) = table[i];
    int n = f(4, &a, &b, hop_pointer(&c), &d);
    int m = f(7, &a, hop_pointer(&a), &c, &c, hop_pointer(&d), &b, &a);
    int *p = &n;
    printf("%d\n", table[1 - i](3, &m, &n, p) + m * 100);
  }
}
