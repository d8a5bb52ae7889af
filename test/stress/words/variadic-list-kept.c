// The list of arguments is kept in a struct and read in another function.
#include "words.h"
#include <stdarg.h>
struct state {
  va_list args;
  int left;
};
static NOINLINE long next(struct state *s) {
  hop();
  s->left--;
  return *va_arg(s->args, long *);
}
static NOINLINE long sum(int n, ...) {
  struct state s = {.left = n};
  va_start(s.args, n);
  long t = 0;
  while (s.left) {
    t = t * 10 + next(&s);
    hop();
  }
  va_end(s.args);
  return t;
}
int main(void) {
  long a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  printf("%ld\n", sum(9, a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8));
}
