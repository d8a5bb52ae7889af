// A select on a pointer comparison chooses between pointers, doubles and functions after the call.
#include "hop.h"

static NOINLINE int twice(int n) { return n * 2; }
static NOINLINE int thrice(int n) { return n * 3; }

static NOINLINE double choose(int *p, int *q) {
  int here = 5, there = 6;
  int *r = p == q ? &here : &there;
  int (*f)(int) = p == q ? twice : thrice;
  double d = p == q ? 0.5 : 0.25;
  int near = q - p == 1;
  hop();
  double sum = *r + d + f(*p);
  hop();
  return sum + (near ? *q : -*q) + *r;
}

int main(void) {
  int a[5] = {10, 20, 30, 40, 50};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      printf("%g\n", choose(a + i, a + j));
}
