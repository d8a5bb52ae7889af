// A generic swap and a generic rotate through a char buffer of the element's size.
// refused: part
#include "hop.h"
#include <string.h>

static NOINLINE void swap(void *a, void *b, size_t size) {
  char t[64];
  memcpy(t, a, size);
  hop();
  memcpy(a, b, size);
  hop();
  memcpy(b, t, size);
}

struct cell {
  int *p;
  char pad[9];
  double *d;
};

int main(void) {
  int n[2] = {1, 2};
  double d[2] = {0.5, 0.25};
  struct cell c[2] = {{&n[0], "first", &d[0]}, {&n[1], "second", &d[1]}};
  int *p = n, *q = n + 1;
  swap(&p, &q, sizeof p);
  swap(&c[0], &c[1], sizeof c[0]);
  hop();
  printf("%d %d\n", *p, *q);
  for (int i = 0; i < 2; i++)
    printf("%d %s %g\n", *c[i].p, c[i].pad, *c[i].d);
}
