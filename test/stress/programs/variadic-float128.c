// A __float128 passed through `...` travels in a vector register, so the pointers after it in memory lie one word after
// the other.
#include "hop.h"
#include <stdarg.h>

static NOINLINE int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  hop();
  int total = 0;
  for (int i = 0; i < count; i++) {
    total += (int)va_arg(list, __float128);
    hop();
    total += *va_arg(list, int *) + *va_arg(list, int *);
    hop();
  }
  va_end(list);
  return total;
}

int main(void) {
  int v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  printf("%d\n", sum(4, (__float128)10, &v[0], &v[1], (__float128)20, &v[2], &v[3], (__float128)30, &v[4], &v[5],
                     (__float128)40, &v[6], &v[7]));
}
