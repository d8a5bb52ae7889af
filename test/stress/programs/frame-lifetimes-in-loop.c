// A local of a loop body whose address escapes in one turn and whose slot is used again in the next.
#include "hop.h"

struct cell {
  int n;
  struct cell *last;
};

static NOINLINE int follow(const struct cell *c) {
  hop();
  return c->last ? c->last->n * 10 + c->n : c->n;
}

static NOINLINE int run(int n) {
  int sum = 0;
  struct cell first = {n, NULL}, *last = &first;
  for (int i = 0; i < n; i++) {
    struct cell c = {i, last};
    sum = sum * 3 + follow(&c);
    first.n += c.n;
    if (i & 1) {
      struct cell d = {i * 2, &c};
      hop();
      sum += follow(&d);
    } else {
      long pad[3] = {i, i, i};
      hop();
      sum += (int)pad[i % 3];
    }
  }
  return sum + last->n;
}

int main(void) {
  for (int n = 0; n < 10; n += 3)
    printf("%d\n", run(n));
}
