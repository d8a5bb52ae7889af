// A struct of function pointers and contexts: nested functions by hand.
#include "hop.h"

struct visitor {
  void (*enter)(void *context, int depth);
  void (*leave)(void *context, int depth);
  void *context;
};
struct counter {
  long sum;
  int *deepest;
};

static void count_in(void *context, int depth) {
  struct counter *c = context;
  hop();
  c->sum += depth;
  if (depth > *c->deepest)
    *c->deepest = depth;
}
static void count_out(void *context, int depth) {
  struct counter *c = context;
  c->sum *= 2;
  hop();
  c->sum %= 100003 + depth;
}

static NOINLINE void visit(const struct visitor *v, int depth, int width) {
  v->enter(v->context, depth);
  for (int i = 0; i < width; i++)
    visit(v, depth + 1, width - 1 - i);
  v->leave(v->context, depth);
}

int main(void) {
  int deepest = 0;
  struct counter c = {0, &deepest};
  struct visitor v = {count_in, count_out, &c};
  visit(&v, 0, 5);
  printf("%ld %d\n", c.sum, deepest);
}
