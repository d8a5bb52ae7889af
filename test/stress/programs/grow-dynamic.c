// Blocks of variable size and frames of many pages on a stack that starts small.
// options: stress_every=5
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static volatile int sink;

void step(void) { sink++; }

__attribute__((noinline)) long vla(int count, long *above) {
  long values[count];
  for (int i = 0; i < count; i++)
    values[i] = i + *above;
  step();
  long *where = &values[count / 2];
  return count < 100 ? *where : *where + vla(count * 9 / 10, where) + values[count - 1];
}

__attribute__((noinline)) long blocks(int depth, char *above) {
  char *mine = alloca((size_t)depth * 16 + 1);
  memset(mine, depth, (size_t)depth * 16 + 1);
  step();
  long below = depth == 0 ? 0 : blocks(depth - 1, mine);
  return below + mine[depth] + (above ? above[0] : 0);
}

__attribute__((noinline)) long frame(long *above, int depth) {
  long big[3000];
  memset(big, 0, sizeof big); /* what lay there before may look like an address */
  big[0] = *above, big[2999] = depth;
  sink = (int)big[depth];
  step();
  return depth == 0 ? big[2999] : big[2999] + frame(&big[0], depth - 1) + big[0];
}

int main(void) {
  long seed = 3;
  printf("%ld\n", vla(9000, &seed));
  printf("%ld\n", blocks(100, NULL));
  printf("%ld\n", frame(&seed, 40));
  return 0;
}
