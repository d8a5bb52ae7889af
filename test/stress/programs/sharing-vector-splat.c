// A vector filled with one address, twice in a block with a call between.
#include "hop.h"

typedef uintptr_t words __attribute__((vector_size(32)));

static NOINLINE void store(int **to, int *p) {
  for (int i = 0; i < 8; i++)
    to[i] = p;
}

static NOINLINE int splat(int n) {
  int local[2] = {n, n * 2};
  int *a[8], *b[8], *c[4], *d[4];
  for (int i = 0; i < 8; i++)
    a[i] = local;
  c[0] = c[1] = c[2] = c[3] = local + 1;
  hop();
  for (int i = 0; i < 8; i++)
    b[i] = local;
  d[0] = d[1] = d[2] = d[3] = local + 1;
  hop();
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += *a[i] * 10 + *b[i];
  for (int i = 0; i < 4; i++)
    sum += *c[i] * 1000 + *d[i] * 100;
  store(a, local);
  hop();
  store(b, local);
  hop();
  return sum + *a[7] + *b[3];
}

int main(void) {
  for (int n = 0; n < 4; n++)
    printf("%d\n", splat(n));
  (void)sizeof(words);
}
