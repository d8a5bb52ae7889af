// A matrix of pointers, three levels: planes of rows of cells, all locals, permuted and read.
#include "hop.h"

static NOINLINE int corner(int ***planes, int p, int q, int r) {
  int **rows = planes[p];
  hop();
  int *row = rows[q];
  hop();
  return row[r];
}

int main(void) {
  int cells[3][3][3], *rows[3][3], **planes[3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++)
        cells[i][j][k] = i * 100 + j * 10 + k;
      rows[i][(j + i) % 3] = cells[i][j];
    }
    planes[(i + 1) % 3] = rows[i];
  }
  for (int n = 0; n < 27; n++) {
    printf("%03d ", corner(planes, n / 9, n / 3 % 3, n % 3));
    if (n % 9 == 8) {
      int **t = planes[0];
      planes[0] = planes[1];
      hop();
      planes[1] = t;
    }
  }
  printf("\n");
}
