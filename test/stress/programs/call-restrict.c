// restrict parameters: loads may move across the stores between, not across the calls.
#include "hop.h"

static NOINLINE long blend(long *restrict to, const long *restrict a, const long *restrict b, int n) {
  long carry = 0;
  for (int i = 0; i < n; i++) {
    to[i] = a[i] * 3 + b[n - 1 - i] + carry;
    hop();
    carry = to[i] / 10;
    to[i] %= 10;
  }
  hop();
  return carry + *a + *b;
}

int main(void) {
  long a[12], b[12], c[12];
  for (int i = 0; i < 12; i++) {
    a[i] = i * 7 % 10;
    b[i] = i * 3 % 10;
  }
  printf("%ld\n", blend(c, a, b, 12));
  for (int i = 0; i < 12; i++)
    printf("%ld", c[i]);
  printf("\n%ld\n", blend(c + 6, c, c, 6));
}
