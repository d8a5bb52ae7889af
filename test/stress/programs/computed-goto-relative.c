// Label addresses in a local table, label differences in a static one.
#include "hop.h"

static NOINLINE int run(const char *program, int *cell) {
  static const int offsets[] = {&&plus - &&plus, &&minus - &&plus, &&right - &&plus, &&end - &&plus};
  const void *local[4];
  for (int i = 0; i < 4; i++)
    local[i] = (const char *) && plus + offsets[i];
  const void **table = local;
  int steps = 0;
  goto *((const char *) && plus + offsets[*program++ - '0']);
plus:
  ++*cell;
  hop();
  steps++;
  goto *table[*program++ - '0'];
minus:
  hop();
  --*cell;
  goto *((const char *) && plus + offsets[*program++ - '0']);
right:
  cell++;
  hop();
  steps += 10;
  goto *local[*program++ - '0'];
end:
  hop();
  return steps * 100 + *cell;
}

int main(void) {
  int cells[5] = {1, 2, 3, 4, 5};
  printf("%d", run("0021002112003", cells));
  for (int i = 0; i < 5; i++)
    printf(" %d", cells[i]);
  printf("\n");
}
