// Structures by value, vectors and long double among the arguments and results of functions that outgrow their stack.
// options: stress_every=97
#include <stdio.h>
#include <string.h>

typedef long pair __attribute__((vector_size(16)));

struct small {
  long *at;
  long count;
};
struct two {
  double x, y;
};
struct large {
  long words[6];
  struct small part;
};

static volatile int sink;

void step(void) { sink++; }

__attribute__((noinline)) struct large build(struct large in, int depth, long x, long y, long *last) {
  char pad[300];
  memset(pad, 1, sizeof pad);
  sink = pad[depth % 300];
  struct large out = in;
  out.words[0] += *last + x + y;
  step();
  if (depth != 0) {
    long here = depth;
    in.part.at = &here;
    struct large below = build(in, depth - 1, x + 1, y, &here);
    out.words[1] += below.words[0] + below.words[1] + *in.part.at;
  }
  return out;
}

__attribute__((noinline)) struct small shorter(struct small s, struct two t, int depth) {
  long here[10] = {depth, depth + 1};
  step();
  if (depth == 0) {
    s.count += *s.at + (long)(t.x + t.y);
    return s;
  }
  struct small mine = {&here[1], s.count + *s.at};
  t.x += 0.5;
  struct small below = shorter(mine, t, depth - 1);
  if (below.at == &here[1])
    below.at = s.at;
  return below;
}

__attribute__((noinline)) long double wide(long double a, pair v, double b, long *where, float c, int depth) {
  char pad[100];
  memset(pad, 1, sizeof pad);
  sink = pad[depth % 100];
  step();
  long here = *where + v[1];
  if (depth == 0)
    return a + b + c + here;
  v[0]++, v[1] += 2;
  return wide(a + 0.25L, v, b * 0.5, &here, c, depth - 1) + v[0];
}

int main(void) {
  long base = 9;
  struct large in = {{1, 2, 3, 4, 5, 6}, {&base, 1}};
  struct large out = build(in, 250, 7, 8, &base);
  printf("%ld %ld %d\n", out.words[0], out.words[1], out.part.at == &base);
  struct small s = shorter((struct small){&base, 0}, (struct two){1.5, 2.5}, 700);
  printf("%ld %d\n", s.count, s.at == &base);
  printf("%Lg\n", wide(1.5L, (pair){1, 2}, 1024, &base, 3.5f, 500));
  return 0;
}
