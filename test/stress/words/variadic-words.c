// Variadic arguments: integers and doubles that are addresses, in registers and in memory.
#include "words.h"
#include <stdarg.h>

static NOINLINE long sum(int count, ...) {
  va_list list;
  va_start(list, count);
  long total = 0;
  for (int i = 0; i < count; i++) {
    uintptr_t word = va_arg(list, uintptr_t);
    hop();
    total = total * 3 + *(long *)(word ^ key());
  }
  double d = va_arg(list, double);
  hop();
  long *p;
  memcpy(&p, &d, sizeof p);
  va_end(list);
  return total * 3 + *p;
}
static long (*volatile sum_of)(int, ...) = sum;

static NOINLINE long use(long *p) {
  uintptr_t h = (uintptr_t)p ^ key();
  double d;
  memcpy(&d, &p, sizeof d);
  return sum_of(8, h, h, h, h, h, h, h, h, d);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
