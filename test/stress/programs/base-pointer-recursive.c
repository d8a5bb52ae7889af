// Frames with a base pointer that call one another and write through pointers into each other's VLAs.
#include "hop.h"

static NOINLINE int descend(int depth, int *above, long *sum) {
  if (depth == 0)
    return *above;
  _Alignas(32) int fixed[8] = {depth};
  int vla[depth];
  for (int i = 0; i < depth; i++)
    vla[i] = i + *above;
  fixed[depth % 8] += depth;
  hop();
  int below = descend(depth - 1, &vla[depth - 1], sum);
  hop();
  *sum += vla[0] + fixed[depth % 8] + fixed[0];
  *above += 1;
  hop();
  return below + vla[depth - 1] + descend(depth / 3, fixed, sum);
}

int main(void) {
  long sum = 0;
  int top = 3;
  int n = descend(12, &top, &sum);
  printf("%d %ld %d\n", n, sum, top);
}
