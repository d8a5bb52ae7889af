// memmove, memset to null and overlapping copies of arrays of pointers, of constant and of variable length.
#include "hop.h"
#include <string.h>

static NOINLINE int take_out(int **p, int n, int at) {
  int *out = p[at];
  memmove(p + at, p + at + 1, (size_t)(n - at - 1) * sizeof *p);
  hop();
  p[n - 1] = NULL;
  return *out;
}

static NOINLINE int show(int **p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    hop();
    s = s * 3 + (p[i] ? *p[i] : 50);
  }
  return s;
}

int main(void) {
  int v[10], *p[10], *zero[6];
  for (int i = 0; i < 10; i++) {
    v[i] = i;
    p[i] = v + i;
  }
  int n = 10;
  for (int at = 3; n > 4; at = (at * 5 + 1) % n, n--) {
    printf("%d ", take_out(p, n, at));
    printf("%d\n", show(p, n));
  }
  memset(zero, 0, sizeof zero);
  hop();
  memcpy(zero + 1, p, 3 * sizeof *p);
  hop();
  memmove(zero + 2, zero, 4 * sizeof *zero);
  printf("%d\n", show(zero, 6));
}
