// Several comparisons of different pointers, joined after the calls that lie between them.
#include "hop.h"

static NOINLINE int which(int *p, int *q, int *r) {
  int a[3] = {7, 8, 9};
  int *x = p ? p : a;
  int *y = q ? q : a + 1;
  int *z = r ? r : a + 2;
  int first = x == a;
  hop();
  int second = y == a + 1;
  hop();
  int third = z == a + 2;
  int fourth = x == y;
  hop();
  int score = (first && second) * 1 + (second && third) * 2 + (first || third) * 4 + (fourth ? 8 : 16);
  hop();
  return score * 1000 + *x * 100 + *y * 10 + *z;
}

int main(void) {
  int outer[3] = {1, 2, 3};
  for (int i = 0; i < 8; i++)
    printf("%d %d\n", i, which(i & 1 ? outer : NULL, i & 2 ? outer + 1 : NULL, i & 4 ? outer : NULL));
}
