// Eight queens (here six) with pointers into arrays of main's frame.
#include "hop.h"

struct board {
  int n;
  int *column, *up, *down;
  long *solutions;
};

static NOINLINE void place(const struct board *b, int row) {
  if (row == b->n) {
    hop();
    ++*b->solutions;
    return;
  }
  for (int c = 0; c < b->n; c++) {
    int *column = b->column + c, *up = b->up + row + c, *down = b->down + row - c;
    if (*column | *up | *down)
      continue;
    *column = *up = *down = 1;
    place(b, row + 1);
    *column = *up = *down = 0;
  }
}

int main(void) {
  int column[6] = {0}, up[11] = {0}, down[11] = {0};
  long solutions = 0;
  struct board b = {6, column, up, down + 5, &solutions};
  place(&b, 0);
  printf("%ld\n", solutions);
}
