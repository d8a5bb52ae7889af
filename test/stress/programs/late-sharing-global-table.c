// Many memory operands over a global table and a local one, with the same index, could share one LEA across calls.
#include "hop.h"

static int shared_cells[40];

static NOINLINE __attribute__((cold)) int step(long i) {
  int mine[40] = {0};
  shared_cells[i] = 1;
  shared_cells[i + 3] = 2;
  mine[i] = 3;
  mine[i + 3] = 4;
  hop();
  shared_cells[i] += mine[i];
  shared_cells[i + 3] += mine[i + 3];
  mine[i] += shared_cells[i + 3];
  hop();
  mine[i + 3] += shared_cells[i];
  shared_cells[i]++;
  mine[i]++;
  hop();
  return shared_cells[i] + shared_cells[i + 3] * 10 + mine[i] * 100 + mine[i + 3] * 1000;
}

int main(void) {
  for (long i = 0; i < 37; i += 5)
    printf("%d\n", step(i));
}
