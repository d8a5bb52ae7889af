// Three functions that call one another, passing pointers to pointers to locals.
#include "hop.h"

static int first(int n, int **p);
static int second(int n, int ***p);
static int third(int n, int *p);

static NOINLINE int first(int n, int **p) {
  if (n <= 0)
    return **p;
  hop();
  int **q = p;
  int r = second(n - 1, &q);
  return r + **q;
}

static NOINLINE int second(int n, int ***p) {
  if (n <= 0)
    return ***p;
  int mine = n;
  int *old = **p;
  **p = &mine;
  int r = third(n - 2, **p);
  hop();
  **p = old;
  return r + mine + *old;
}

static NOINLINE int third(int n, int *p) {
  if (n <= 0)
    return *p;
  int x = *p * 2, *q = &x;
  *p += 3;
  hop();
  int r = first(n - 1, &q);
  return r + *q - *p;
}

int main(void) {
  for (int n = 0; n < 25; n += 4) {
    int x = n, *p = &x;
    printf("%d %d\n", first(n, &p), x);
  }
}
