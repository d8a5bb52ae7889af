// A VLA left and entered again by goto, its pointer kept in a local outside the block.
#include "hop.h"

static NOINLINE int run(int n) {
  int total = 0, outside = 5;
  int *kept = &outside;
again: {
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = n - i;
  kept = &a[n / 2];
  hop();
  total = total * 3 + *kept;
  kept = &outside;
  if (n-- > 1)
    goto again;
}
  hop();
  return total + *kept;
}

int main(void) {
  for (int n = 1; n < 9; n++)
    printf("%d\n", run(n));
}
