// Pointers, ints, longs and doubles mixed in a variadic call, more than the registers of either kind hold.
#include "hop.h"
#include <stdarg.h>

static NOINLINE double mixed(const char *format, ...) {
  va_list list;
  double s = 0;
  va_start(list, format);
  for (; *format; format++) {
    hop();
    switch (*format) {
    case 'i':
      s += va_arg(list, int);
      break;
    case 'l':
      s += va_arg(list, long) * 2;
      break;
    case 'd':
      s += va_arg(list, double);
      break;
    case 'D':
      s += (double)va_arg(list, long double);
      break;
    case 'p':
      s += *va_arg(list, int *) * 3;
      break;
    case 'q':
      s += *va_arg(list, double *) * 5;
      break;
    }
    s *= 1.25;
  }
  va_end(list);
  return s;
}

int main(void) {
  int x = 3, y = 4;
  double d = 0.5, e = 1.5;
  for (int i = 0; i < 4; i++, x++, e += 2) {
    printf("%g\n", mixed("ipdqldpip", 1, &x, 2.0, &d, 7L, 0.25, &y, 6, &x));
    printf("%g\n", mixed("dddddddddqpd", 1., 2., 3., 4., 5., 6., 7., 8., 9., &e, &y, 10.));
    printf("%g\n", mixed("piiiiiiqDpDd", &x, 1, 2, 3, 4, 5, 6, &e, 2.5L, &y, 3.5L, 9.5));
  }
}
