// A list of arguments is handed down, copied and kept over calls; its words are addresses or numbers, by a format.
#include "words.h"
#include <stdarg.h>

static NOINLINE long one(char kind, va_list *list) {
  hop();
  switch (kind) {
  case 'a':
    return *(long *)va_arg(*list, uintptr_t);
  case 'h':
    return *(long *)~va_arg(*list, uintptr_t);
  default:
    return va_arg(*list, long);
  }
}

static NOINLINE long all(const char *format, va_list list) {
  va_list copy;
  va_copy(copy, list);
  hop();
  long total = 0;
  for (const char *f = format; *f; f++)
    total = total * 10 + one(*f, &copy);
  va_end(copy);
  return total;
}

static NOINLINE long sum(const char *format, ...) {
  va_list list;
  va_start(list, format);
  hop();
  long total = all(format, list);
  va_end(list);
  return total;
}
static long (*volatile sum_of)(const char *, ...) = sum;

static NOINLINE long use(long *p) {
  uintptr_t v = (uintptr_t)p;
  return sum_of("anhanhahn", v, 1L, ~v, v, 2L, ~v, v, ~v, 3L);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
