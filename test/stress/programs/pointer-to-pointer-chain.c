// Pointers to pointers four deep, each level in another frame.
#include "hop.h"

static NOINLINE int fourth(int ****p, int n) {
  hop();
  ****p += n;
  int saved = ****p, other = 7, *q = &other, *was = ***p;
  ***p = q;
  hop();
  int sum = ****p + saved;
  ***p = was;
  return sum;
}
static NOINLINE int third(int ***p, int n) {
  int r = fourth(&p, n);
  hop();
  return r + ***p;
}
static NOINLINE int second(int **p, int n) {
  int r = third(&p, n);
  hop();
  return r * 3 + **p;
}
static NOINLINE int first(int *p, int n) {
  int r = second(&p, n);
  hop();
  return r * 3 + *p;
}

int main(void) {
  int x = 1;
  for (int n = 0; n < 6; n++) {
    printf("%d ", first(&x, n));
    printf("%d\n", x);
  }
}
