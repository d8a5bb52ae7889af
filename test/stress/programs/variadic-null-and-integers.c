// Null pointers, integers that look like addresses and pointers to globals between pointers to locals.
#include "hop.h"
#include <stdarg.h>

static int global = 5;

static NOINLINE long count(const char *kinds, ...) {
  va_list list;
  va_start(list, kinds);
  long s = 0;
  for (; *kinds; kinds++) {
    hop();
    if (*kinds == 'p') {
      int *p = va_arg(list, int *);
      hop();
      s = s * 3 + (p ? *p : 1000);
    } else {
      unsigned long n = va_arg(list, unsigned long);
      hop();
      s = s * 5 + (long)(n % 1000);
    }
  }
  va_end(list);
  return s;
}

int main(void) {
  int a = 6;
  printf("%ld\n",
         count("pnppnppp", &a, 0xfffffffffffful, (int *)NULL, &global, 140737488355327ul, &a, (int *)NULL, &a));
  printf("%ld\n", count("nnnnnnpp", 1ul, 2ul, 3ul, 4ul, 5ul, 6ul, &a, &global));
}
