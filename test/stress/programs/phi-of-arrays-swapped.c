// Two local arrays that trade roles each generation: pointers to both are swapped in a loop of calls.
#include "hop.h"

static NOINLINE int rule(const int *row, int i, int n) {
  hop();
  return row[(i + n - 1) % n] ^ (row[i] | row[(i + 1) % n]);
}

int main(void) {
  int a[32] = {0}, b[32];
  int *now = a, *next = b;
  now[16] = 1;
  for (int t = 0; t < 12; t++) {
    for (int i = 0; i < 32; i++)
      next[i] = rule(now, i, 32);
    int *swap = now;
    now = next;
    next = swap;
    hop();
    for (int i = 0; i < 32; i++)
      putchar(now[i] ? '#' : '.');
    putchar('\n');
  }
}
