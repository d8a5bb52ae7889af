// Differences of pointers to 12-byte elements: subtract, shift, multiply, any part of which may sink past the call.
#include "hop.h"

struct triple {
  int a, b, c;
};

static NOINLINE int find(struct triple *from, struct triple *to, int a) {
  struct triple *found = to;
  for (struct triple *t = from; t != to; t++)
    if (t->a == a) {
      found = t;
      break;
    }
  ptrdiff_t at = found - from, left = to - found;
  hop();
  return (int)(at * 100 + left) + (found == to ? 0 : found->c);
}

int main(void) {
  struct triple t[9];
  for (int i = 0; i < 9; i++)
    t[i] = (struct triple){i * i % 11, i, -i * 10000};
  for (int a = 0; a < 11; a++)
    printf("%d\n", find(t, t + 9, a));
}
