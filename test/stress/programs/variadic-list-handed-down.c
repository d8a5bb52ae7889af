// va_list handed down two functions, by value and by pointer, with calls at each level.
#include "hop.h"
#include <stdarg.h>

static NOINLINE int one(va_list *list) {
  hop();
  int *p = va_arg(*list, int *);
  hop();
  return *p;
}

static NOINLINE int rest(int n, va_list list) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    hop();
    s = s * 10 + *va_arg(list, int *);
  }
  return s;
}

static NOINLINE int all(int n, ...) {
  va_list list;
  va_start(list, n);
  int first = one(&list);
  hop();
  int second = one(&list);
  int others = rest(n - 2, list);
  va_end(list);
  return first * 1000000 + second * 100000 + others;
}

int main(void) {
  int a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  printf("%d\n", all(3, a, a + 1, a + 2));
  printf("%d\n", all(7, a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6));
  printf("%d\n", all(2, a + 8, a + 7));
}
