// Arguments in registers and in memory, pointers to locals of callers among them, while a recursion outgrows its stack.
// options: stress_every=97
#include <stdio.h>
#include <string.h>

struct node {
  struct node *up;
  long value;
};

static volatile int sink;

void step(void) { sink++; }

__attribute__((noinline)) long list(struct node *up, int depth) {
  struct node me = {up, depth};
  char pad[200];
  memset(pad, depth, sizeof pad);
  sink = pad[depth % 200];
  if (depth == 0) {
    long sum = 0;
    for (struct node *at = &me; at; at = at->up)
      sum += at->value;
    return sum;
  }
  step();
  long below = list(&me, depth - 1);
  return below + (me.value - depth) + (me.up != up);
}

/* Nine words: the last three in memory, a pointer and an integer that is none among them. */
__attribute__((noinline)) long many(int depth, struct node *a, long b, double x, struct node *c, short d, long *e,
                                    float y, long f, struct node *g, long h, long *i) {
  long mine = depth;
  char pad[150];
  memset(pad, 1, sizeof pad);
  sink = pad[d % 150];
  *i += a->value + c->value + *e + b + f + h + (long)x + (long)y;
  if (depth == 0)
    return g->value;
  struct node next = {g, mine};
  step();
  long below = many(depth - 1, &next, b + 1, x + 0.5, a, d, &mine, y, f, &next, h, i);
  return below + mine - depth + (next.up != g);
}

struct visitor {
  long (*visit)(struct visitor *, long *, int);
  long *total;
};

static long visit(struct visitor *v, long *outer, int depth) {
  long local = *outer + 1;
  long words[20] = {depth};
  struct visitor inner = {v->visit, &local};
  *v->total += words[depth % 20];
  step();
  return depth == 0 ? local : inner.visit(&inner, &local, depth - 1) + local - *outer - 1;
}

int main(void) {
  printf("%ld\n", list(NULL, 1500));
  struct node a = {NULL, 3}, c = {&a, 4};
  long e = 5, total = 0;
  long g = many(400, &a, 1, 2.5, &c, 7, &e, 1.5f, 6, &c, 8, &total);
  printf("%ld %ld\n", g, total);
  struct visitor v = {visit, &total};
  long v0 = visit(&v, &e, 800);
  printf("%ld %ld\n", v0, total);
  return 0;
}
