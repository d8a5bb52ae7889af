// A va_list in a struct, walked by callees at two levels, and given to the library's vsnprintf after moves.
#include "hop.h"
#include <stdarg.h>

struct reader {
  int left;
  va_list list;
};

static NOINLINE int *next(struct reader *r) {
  hop();
  return r->left-- > 0 ? va_arg(r->list, int *) : NULL;
}

static NOINLINE int all(int n, ...) {
  struct reader r = {.left = n};
  va_start(r.list, n);
  int sum = 0, *p;
  while ((p = next(&r))) {
    hop();
    sum = sum * 3 + *p;
  }
  va_end(r.list);
  return sum;
}

static NOINLINE int format(char *to, size_t size, const char *text, ...) {
  va_list list, again;
  va_start(list, text);
  va_copy(again, list);
  hop();
  int length = vsnprintf(NULL, 0, text, list);
  hop();
  vsnprintf(to, size, text, again);
  va_end(again);
  va_end(list);
  return length;
}

int main(void) {
  int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  char word[] = "word", line[80];
  printf("%d %d\n", all(2, a, a + 1), all(8, a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7));
  int n = format(line, sizeof line, "%s %d %g %s %s %d %s %s %g", word, a[3], 1.5, word + 1, "literal", 7, word + 2,
                 word + 3, 2.5);
  printf("%d %s\n", n, line);
}
