// Each frame links a node of its own to the list of its callers; the deepest walks the list back through all frames.
#include "hop.h"

struct node {
  int value;
  struct node *up;
};

static NOINLINE long walk(struct node *n) {
  long sum = 0;
  for (; n; n = n->up) {
    hop();
    sum = (sum * 31 + n->value) % 1000003;
    n->value++;
  }
  return sum;
}

static NOINLINE long down(struct node *up, int depth) {
  struct node here = {depth * depth, up};
  if (depth == 0)
    return walk(&here);
  long n = down(&here, depth - 1);
  hop();
  return n * 2 % 1000003 + here.value + (here.up ? here.up->value : 0);
}

int main(void) {
  for (int depth = 0; depth < 30; depth += 7)
    printf("%ld\n", down(NULL, depth));
}
