/* Eight-queens style backtracking with pointers to the three occupancy arrays in every call. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
enum { N = 11 };
static int place(int row, int *columns, int *up, int *down, long *nodes) {
  if (row == N)
    return 1;
  int found = 0;
  for (int c = 0; c < N; c++) {
    if (columns[c] || up[row + c] || down[row - c + N])
      continue;
    columns[c] = up[row + c] = down[row - c + N] = 1;
    ++*nodes;
    found += place(row + 1, columns, up, down, nodes);
    columns[c] = up[row + c] = down[row - c + N] = 0;
  }
  return found;
}
int main(void) {
  int columns[N] = {0}, up[2 * N] = {0}, down[2 * N + 1] = {0};
  long nodes = 0;
  int found = 0;
  for (int i = 0; i < ROUNDS(80); i++)
    found += place(0, columns, up, down, &nodes);
  printf("%d %ld\n", found, nodes);
  return 0;
}
