// Structs of several sizes by value, with pointers to the caller's and the callee's own locals; changed in the callee.
#include "hop.h"

struct small {
  int *p;
};
struct medium {
  int *p, *q;
};
struct large {
  int *p[5];
  int n;
};

static NOINLINE int use(struct small s, struct medium m, struct large l) {
  int mine = 7;
  hop();
  *s.p += 1;
  m.p = &mine;
  l.p[2] = m.q;
  hop();
  int sum = *s.p + *m.p * 10 + *m.q * 100;
  for (int i = 0; i < l.n; i++) {
    hop();
    sum = sum * 3 + *l.p[i];
  }
  return sum;
}

int main(void) {
  int a[5] = {1, 2, 3, 4, 5};
  struct large l = {{a, a + 1, a + 2, a + 3, a + 4}, 5};
  for (int i = 0; i < 5; i++) {
    printf("%d\n", use((struct small){a + i}, (struct medium){a, a + 4 - i}, l));
    printf("%d\n", *l.p[2]);
  }
}
