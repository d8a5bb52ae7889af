// A large struct by value: the callee takes the address of its copy, which lies in the caller's outgoing area.
#include "hop.h"

struct big {
  int n;
  int *self;
  long fill[12];
  struct big *link;
};

static NOINLINE long look(struct big *b) {
  hop();
  return *b->self + b->fill[11] + (b->link ? b->link->n : 0);
}

static NOINLINE long take(struct big b, struct big c, int depth) {
  b.self = &b.n;
  c.link = &b;
  hop();
  b.n += depth;
  long sum = look(&b) + look(&c) * 100;
  if (depth)
    sum += take(c, b, depth - 1) * 3;
  hop();
  return sum + *b.self + c.link->n;
}

int main(void) {
  struct big b = {.n = 4, .fill = {0}}, c = {.n = 6, .fill = {[11] = 5}};
  b.self = &b.n;
  c.self = &b.n;
  printf("%ld\n", take(b, c, 4));
}
