// Pointers kept in char buffers: aligned, at odd offsets, and copied on as bytes.
#include "hop.h"
#include <string.h>

static NOINLINE int odd(int *p, int *q) {
  char t[24];
  memset(t, 0x5a, sizeof t);
  memcpy(t + 3, &p, sizeof p);
  memcpy(t + 11, &q, sizeof q);
  hop();
  int *a, *b;
  memcpy(&a, t + 3, sizeof a);
  memcpy(&b, t + 11, sizeof b);
  hop();
  return *a * 10 + *b;
}

static NOINLINE int even(int *p) {
  char t[8], u[8];
  memcpy(t, &p, sizeof p);
  hop();
  memcpy(u, t, sizeof u);
  hop();
  int *a;
  memcpy(&a, u, sizeof a);
  return *a;
}

int main(void) {
  int n[4] = {1, 2, 3, 4};
  for (int i = 0; i < 3; i++)
    printf("%d %d\n", odd(n + i, n + 3 - i), even(n + i));
}
