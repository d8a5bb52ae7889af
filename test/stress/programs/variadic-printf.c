// A printf of its own: %d %s %p-like indirection %c %x, writing through a pointer into a local buffer.
#include "hop.h"
#include <stdarg.h>

struct out {
  char *at, *end;
};

static NOINLINE void put(struct out *o, char c) {
  hop();
  if (o->at < o->end)
    *o->at++ = c;
}

static NOINLINE void number(struct out *o, unsigned n, unsigned base) {
  if (n >= base)
    number(o, n / base, base);
  put(o, "0123456789abcdef"[n % base]);
}

static NOINLINE int print(char *to, size_t size, const char *format, ...) {
  struct out o = {to, to + size - 1};
  va_list list;
  va_start(list, format);
  for (const char *f = format; *f; f++) {
    if (*f != '%') {
      put(&o, *f);
      continue;
    }
    switch (*++f) {
    case 's':
      for (const char *s = va_arg(list, const char *); *s; s++)
        put(&o, *s);
      break;
    case 'd': {
      int n = va_arg(list, int);
      if (n < 0)
        put(&o, '-');
      number(&o, n < 0 ? -(unsigned)n : (unsigned)n, 10);
      break;
    }
    case 'x':
      number(&o, va_arg(list, unsigned), 16);
      break;
    case 'c':
      put(&o, (char)va_arg(list, int));
      break;
    case 'n':
      *va_arg(list, int *) = (int)(o.at - to);
      break;
    default:
      put(&o, *f);
    }
  }
  va_end(list);
  *o.at = 0;
  return (int)(o.at - to);
}

int main(void) {
  char line[80], word[] = "local";
  int here = 0, there = 0;
  int n = print(line, sizeof line, "%d %s%n %x %c %s%n 100%% %d", -42, word, &here, 0xbeefu, '!', "global", &there, 7);
  printf("%s|%d %d %d\n", line, n, here, there);
  n = print(line, 12, "%s %s %s", word, word, word);
  printf("%s|%d\n", line, n);
}
