/* Life on a torus, rows reached through an array of pointers that the generations swap, one call per cell. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
enum { W = 96, H = 64 };
struct board {
  unsigned char *rows[H];
};
__attribute__((noinline)) static int neighbours(const struct board *b, int x, int y) {
  const unsigned char *above = b->rows[(y + H - 1) % H], *here = b->rows[y], *below = b->rows[(y + 1) % H];
  int left = (x + W - 1) % W, right = (x + 1) % W;
  return above[left] + above[x] + above[right] + here[left] + here[right] + below[left] + below[x] + below[right];
}
__attribute__((noinline)) static void generation(struct board *to, const struct board *from, long *alive) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int n = neighbours(from, x, y);
      to->rows[y][x] = n == 3 || (n == 2 && from->rows[y][x]);
      *alive += to->rows[y][x];
    }
}
int main(void) {
  unsigned char cells[2][H][W];
  struct board a, b, *now = &a, *next = &b;
  unsigned seed = 11;
  for (int y = 0; y < H; y++) {
    a.rows[y] = cells[0][y];
    b.rows[y] = cells[1][y];
    for (int x = 0; x < W; x++) {
      seed = seed * 1664525 + 1013904223;
      cells[0][y][x] = seed >> 30 == 0;
    }
  }
  long alive = 0;
  for (int i = 0; i < ROUNDS(14000); i++) {
    generation(next, now, &alive);
    struct board *t = now;
    now = next;
    next = t;
  }
  printf("%ld\n", alive);
  return 0;
}
