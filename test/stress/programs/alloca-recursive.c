// alloca in each frame of a recursion; every frame reads the caller's block.
#include "hop.h"
#include <alloca.h>

static NOINLINE long level(long *above, int n, int depth) {
  long *mine = alloca((size_t)(n + 1) * sizeof *mine);
  for (int i = 0; i < n; i++)
    mine[i] = above[i] + (i ? above[i - 1] : 1);
  mine[n] = 1;
  hop();
  long sum = depth ? level(mine, n + 1, depth - 1) : 0;
  hop();
  above[0] += mine[n / 2];
  return sum * 3 + mine[n / 2] + above[n - 1];
}

int main(void) {
  for (int depth = 0; depth < 16; depth += 5) {
    long one[1] = {1};
    long n = level(one, 1, depth);
    printf("%ld %ld\n", n, one[0]);
  }
}
