// Locals linked into a global list, as contexts and cleanup handlers are.
// refused (not globals): global
#include "hop.h"

struct context {
  struct context *outer;
  int value;
};
static struct context *innermost;

static NOINLINE int look(void) {
  int sum = 0;
  for (struct context *c = innermost; c; c = c->outer) {
    hop();
    sum = sum * 3 + c->value;
  }
  return sum;
}

static NOINLINE int enter(int n) {
  struct context here = {innermost, n};
  innermost = &here;
  hop();
  int r = n ? enter(n - 1) : look();
  innermost = here.outer;
  return r + here.value;
}

int main(void) {
  for (int n = 0; n < 6; n++) {
    printf("%d\n", enter(n));
    hop();
  }
}
