// Functions that return a pointer they were given, one into it, the larger of two, or a null, in chains.
#include "hop.h"

static NOINLINE int *same(int *p) {
  hop();
  return p;
}
static NOINLINE int *second(int *p) { return same(p) + 1; }
static NOINLINE int *larger(int *a, int *b) {
  int *x = same(a), *y = same(b);
  return *x > *y ? x : y;
}
static NOINLINE int *find(int *from, int *to, int n) {
  for (; from != to; from++)
    if (*same(from) == n)
      return from;
  return NULL;
}

int main(void) {
  int a[6] = {5, 3, 9, 1, 7, 2};
  int *best = a;
  for (int i = 0; i < 5; i++) {
    best = larger(best, second(a + i));
    int *p = find(a, a + 6, i + 4);
    printf("%d %ld %ld\n", *best, (long)(same(best) - a), p ? (long)(p - a) : -1l);
  }
}
