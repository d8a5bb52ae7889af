// Integers that are provably addresses move like pointers: with tags, in variables, arguments, results, recursions and
// through `...`, merged with null, compared, and made into pointers again.
#include "hop.h"
#include <stdarg.h>

static NOINLINE uintptr_t tag(int *p, int odd) { return odd ? (uintptr_t)p | 1 : (uintptr_t)p; }

static NOINLINE long get(uintptr_t tagged) {
  hop();
  long value = *(int *)(tagged & ~(uintptr_t)3);
  hop();
  return tagged & 1 ? -value : value;
}

static NOINLINE long down(uintptr_t at, int n) {
  if (n == 0)
    return 0;
  hop();
  long rest = down(at + sizeof(int), n - 1);
  return rest * 3 + *(int *)at;
}

static NOINLINE uintptr_t later(uintptr_t a, uintptr_t b) {
  hop();
  return a > b ? a : b;
}

static NOINLINE long several(int n, ...) {
  va_list list;
  va_start(list, n);
  long sum = 0;
  for (int i = 0; i < n; i++) {
    hop();
    sum = sum * 5 + *(int *)va_arg(list, uintptr_t);
  }
  va_end(list);
  return sum;
}

int main(void) {
  int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  long sum = 0;
  for (int i = 0; i < 8; i++) {
    uintptr_t t = tag(&a[i], i & 1);
    hop();
    sum = sum * 3 + get(t);
    uintptr_t none = 0;
    if (i > 3)
      none = t;
    hop();
    sum += none ? get(none) : 1;
  }
  uintptr_t begin = (uintptr_t)a, end = (uintptr_t)(a + 8);
  for (uintptr_t at = begin; at != end; at += sizeof(int)) {
    hop();
    sum += *(int *)at * (long)((end - at) / sizeof(int));
  }
  printf("%ld %ld %d\n", sum, down(begin, 8), *(int *)later(begin + 4, begin + 8));
  uintptr_t first = (uintptr_t)&a[0], third = (uintptr_t)&a[2];
  printf("%ld\n", several(8, first, third, first, third, first, third, third, first));
}
