// Sibling calls between functions of one signature: the frame is gone, the argument points further up.
#include "hop.h"

struct machine {
  const char *at;
  int *count;
  long sum;
};

static long digit(struct machine *m, int n);
static long letter(struct machine *m, int n);

static NOINLINE long next(struct machine *m, int n) {
  hop();
  char c = *m->at++;
  if (!c)
    return m->sum * 100 + n;
  if (c >= '0' && c <= '9')
    return digit(m, n + 1);
  return letter(m, n + 2);
}
static NOINLINE long digit(struct machine *m, int n) {
  m->sum = m->sum * 10 + m->at[-1] - '0';
  hop();
  return next(m, n);
}
static NOINLINE long letter(struct machine *m, int n) {
  ++*m->count;
  hop();
  m->sum += m->at[-1];
  return next(m, n);
}

int main(void) {
  char text[] = "12ab3c45";
  int count = 0;
  struct machine m = {text, &count, 0};
  printf("%ld", next(&m, 0));
  printf(" %d\n", count);
}
