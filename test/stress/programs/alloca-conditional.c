// alloca on some paths only, of sizes known and unknown, its result merged with pointers to other locals.
#include "hop.h"
#include <alloca.h>

static NOINLINE int sum(int **p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    hop();
    s = s * 3 + *p[i];
  }
  return s;
}

static NOINLINE int run(int n, int *outer) {
  int *few[4], **p = few, v = n;
  if (n > 4)
    p = alloca((size_t)n * sizeof *p);
  hop();
  for (int i = 0; i < n; i++)
    p[i] = i & 1 ? outer : &v;
  int *one = n & 2 ? alloca(sizeof *one) : outer;
  hop();
  *one = n * 5;
  int s = sum(p, n);
  hop();
  return s * 10 + *one + (p == few);
}

int main(void) {
  int outer = 3;
  for (int n = 1; n < 12; n++)
    printf("%d\n", run(n, &outer));
}
