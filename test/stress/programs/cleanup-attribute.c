// __attribute__((cleanup)): a hidden call with the address of a local at the end of each scope.
#include "hop.h"

struct guard {
  int *depth;
  struct guard *outer;
};

static void leave(struct guard *g) {
  hop();
  --*g->depth;
  if (g->outer)
    *g->outer->depth += 10;
}

static NOINLINE int nest(int n, struct guard *outer) {
  int depth = n;
  __attribute__((cleanup(leave))) struct guard g = {&depth, outer};
  hop();
  if (n % 5 == 4)
    return nest(n - 1, outer) + depth;
  {
    __attribute__((cleanup(leave))) struct guard inner = {&depth, &g};
    hop();
    depth += 3;
  }
  int r = n ? nest(n - 1, &g) : 0;
  return r * 3 + depth;
}

int main(void) {
  for (int n = 0; n < 12; n++)
    printf("%d\n", nest(n, NULL));
}
