// Loops left by break, continue, goto and return with different pointers live on each way out.
#include "hop.h"

static NOINLINE int *search(int (*grid)[5], int n, int value, int **best) {
  int *found = NULL;
  for (int i = 0; i < n; i++) {
    for (int *p = grid[i], *end = p + 5; p < end; p++) {
      hop();
      if (*p == value)
        return p;
      if (*p == -value) {
        found = p;
        goto out;
      }
      if (*p > value)
        break;
      if (*p < **best)
        continue;
      *best = p;
    }
  }
out:
  hop();
  return found ? found : *best;
}

int main(void) {
  int grid[4][5];
  for (int i = 0; i < 20; i++)
    grid[i / 5][i % 5] = (i * 7 + 3) % 23 * (i % 6 ? 1 : -1);
  for (int value = 0; value < 24; value++) {
    int none = -1, *best = &none;
    int *p = search(grid, 4, value, &best);
    printf("%d:%d:%d ", value, *p, p == &none ? -1 : (int)(p - grid[0]));
  }
  printf("\n");
}
