// A matrix with bounds of run time in both directions, read by columns from the end.
#include "words.h"

static NOINLINE long sum(long columns, const long *m, long row0, long row1, long column0, long column1) {
  long total = 0;
  for (long c = column0; c < column1; c++)
    for (long r = row1 - 1; r >= row0; r--) {
      hop();
      total = total * 2 + m[(row1 - 1 - r) * columns + (c - column0)];
    }
  return total;
}

int main(void) {
  long m[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  hop_pointer(m);
  long r = hop_long(1L << 30), c = hop_long(-(1L << 36));
  printf("%ld\n", sum(4, m[0], r, r + 3, c, c + 4));
}
