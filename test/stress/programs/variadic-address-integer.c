// Addresses passed through `...` as integers, in the register save area and beyond it.
// refused (Os): ambiguous
#include "hop.h"
#include <stdarg.h>

static NOINLINE long sum(int n, ...) {
  va_list list;
  va_start(list, n);
  long s = 0;
  for (int i = 0; i < n; i++) {
    hop();
    s = s * 3 + *(int *)va_arg(list, uintptr_t);
  }
  va_end(list);
  return s;
}

int main(void) {
  int v[4] = {1, 2, 3, 4};
  uintptr_t n[4];
  for (int i = 0; i < 4; i++)
    n[i] = (uintptr_t)(v + i);
  printf("%ld %ld\n", sum(3, n[0], n[1], n[2]), sum(8, n[3], n[2], n[1], n[0], n[0], n[1], n[2], n[3]));
}
