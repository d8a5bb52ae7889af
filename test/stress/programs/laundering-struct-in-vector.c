// Structs of two and four pointers, assigned: at -O3 the copies are vector loads held in registers.
#include "hop.h"

struct quad {
  int *p[4];
};
struct pair {
  int *x, *y;
};

static NOINLINE int turn(struct quad *q, struct pair *r) {
  struct quad saved = *q;
  struct pair kept = *r;
  hop();
  q->p[0] = saved.p[3];
  q->p[1] = saved.p[2];
  q->p[2] = saved.p[1];
  q->p[3] = saved.p[0];
  hop();
  r->x = kept.y;
  r->y = kept.x;
  hop();
  return *saved.p[0] * 1 + *saved.p[1] * 10 + *kept.x * 100 + *kept.y * 1000;
}

int main(void) {
  int a[4] = {1, 2, 3, 4};
  struct quad q = {{a, a + 1, a + 2, a + 3}};
  struct pair r = {a + 1, a + 3};
  for (int i = 0; i < 5; i++) {
    printf("%d ", turn(&q, &r));
    printf("%d%d%d%d\n", *q.p[0], *q.p[1], *q.p[2], *q.p[3]);
  }
}
