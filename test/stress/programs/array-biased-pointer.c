// Pointers kept outside their arrays' used part: one-based indices, a base in the middle, one past the end.
#include "hop.h"

static NOINLINE int biased(int n) {
  int storage[40];
  int *one = storage + 20, *end = storage + 40;
  for (int i = -20; i < 20; i++)
    one[i] = i * 3 + n;
  int sum = 0;
  for (int i = -20; i < 0; i++) {
    hop();
    sum = (sum * 3 + one[i] + end[i]) % 1000003;
  }
  hop();
  for (int *p = end; p != storage; hop())
    sum = (sum * 5 + *--p) % 1000003;
  return sum;
}

int main(void) {
  for (int n = 0; n < 4; n++)
    printf("%d\n", biased(n));
}
