// Pointers swapped through pointers to pointers to pointers.
#include "hop.h"

static NOINLINE void swap(int **a, int **b) {
  int *t = *a;
  hop();
  *a = *b;
  hop();
  *b = t;
}
static NOINLINE void swap_swapped(int ***a, int ***b) {
  int **t = *a;
  swap(*a, *b);
  *a = *b;
  hop();
  *b = t;
}

int main(void) {
  int x = 1, y = 2, *p = &x, *q = &y, **pp = &p, **qq = &q, ***ppp = &pp, ***qqq = &qq;
  for (int i = 0; i < 6; i++) {
    swap_swapped(i & 1 ? &pp : ppp, &qq);
    printf("%d %d %d %d %d %d\n", *p, *q, **pp, **qq, ***ppp, ***qqq);
    if (i % 3 == 0)
      swap(&p, &q);
    x += 10;
  }
}
