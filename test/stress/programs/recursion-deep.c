// Ten thousand frames, each holding a pointer to its caller's local.
// options: stress_every=997
#include "hop.h"

static NOINLINE long deep(int n, long *above) {
  long mine = *above + n;
  if (n == 0) {
    hop();
    return mine;
  }
  long below = deep(n - 1, &mine);
  *above += mine & 1;
  return (below + mine) % 1000003;
}

int main(void) {
  long top = 1;
  long n = deep(10000, &top);
  printf("%ld %ld\n", n, top);
}
