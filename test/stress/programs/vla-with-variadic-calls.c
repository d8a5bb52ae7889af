// Variadic calls with pointers in registers and on the stack, from frames with VLAs and over-aligned locals.
#include "hop.h"
#include <stdarg.h>

static NOINLINE long sum(int n, ...) {
  va_list list;
  long s = 0;
  int room[n];
  va_start(list, n);
  for (int i = 0; i < n; i++) {
    room[i] = (int)va_arg(list, double);
    hop();
    int *p = va_arg(list, int *);
    hop();
    s = s * 3 + *p + room[i];
  }
  va_end(list);
  return s;
}

static NOINLINE long frame(int n) {
  _Alignas(64) int fixed[16] = {n};
  int v[n];
  for (int i = 0; i < n; i++)
    v[i] = i + n;
  int *last = v + n - 1;
  hop();
  long s = sum(3, 1.0, v, 2.0, last, 3.0, fixed);
  hop();
  for (int i = 0; i < 2; i++) {
    int more[n + i];
    more[n + i - 1] = i;
    s = s % 100003 +
        sum(9, 1., v, 2., last, 3., fixed, 4., &more[n + i - 1], 5., v, 6., last, 7., fixed, 8., v, 9., last);
  }
  return s + *last + (long)((uintptr_t)fixed % 64);
}

int main(void) {
  for (int n = 1; n < 12; n += 2)
    printf("%ld\n", frame(n));
}
