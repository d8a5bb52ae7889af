// Small structs in registers: {char, pointer}, {int, int, pointer}, {pointer, float}: coerced to integers and pairs.
#include "hop.h"

struct a {
  char c;
  int *p;
};
struct b {
  int x, y;
  int *p;
};
struct c {
  int *p;
  float f;
};
struct d {
  float f, g;
  int *p[1];
};

static NOINLINE int use(struct a a, struct b b, struct c c, struct d d) {
  hop();
  int sum = a.c + *a.p * 10;
  hop();
  sum += b.x + b.y + *b.p * 100;
  hop();
  sum += (int)c.f + *c.p * 1000;
  hop();
  return sum + (int)(d.f + d.g) + *d.p[0] * 10000;
}

static NOINLINE struct b make(struct a a, int x) {
  struct b b = {x, a.c, a.p};
  hop();
  return b;
}

int main(void) {
  int n[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; i++) {
    struct a a = {(char)i, n + i};
    struct b b = make(a, i * 2);
    hop();
    printf("%d\n", use(a, b, (struct c){n + 3 - i, 0.5f}, (struct d){1, 2, {n}}));
  }
}
