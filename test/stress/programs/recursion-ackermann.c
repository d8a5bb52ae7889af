// Ackermann's function counting its calls through a pointer to a local of main, and its depth through another.
// options: stress_every=13
#include "hop.h"

struct count {
  long calls;
  int depth, deepest;
};

static NOINLINE int ackermann(int m, int n, struct count *c) {
  c->calls++;
  if (++c->depth > c->deepest)
    c->deepest = c->depth;
  int result = m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1, c) : ackermann(m - 1, ackermann(m, n - 1, c), c);
  if (c->calls % 64 == 0)
    hop();
  c->depth--;
  return result;
}

int main(void) {
  struct count c = {0};
  printf("%d", ackermann(2, 9, &c));
  printf(" %ld %d\n", c.calls, c.deepest);
}
