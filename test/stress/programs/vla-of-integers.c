// VLAs of ints: one, two of different lengths, one handed to a callee, with pointers to their ends.
#include "hop.h"

static NOINLINE int sum(int n, const int a[n]) {
  int s = 0;
  for (const int *p = a; p < a + n; p++) {
    hop();
    s = s * 3 + *p;
  }
  return s;
}

static NOINLINE int run(int n, int m) {
  int a[n];
  hop();
  int b[m + 1];
  int *last = a + n - 1, *first = b;
  for (int i = 0; i < n; i++)
    a[i] = i * m;
  for (int i = 0; i <= m; i++)
    b[i] = n - i;
  hop();
  *first += *last;
  int s = sum(n, a) * 3 + sum(m + 1, b);
  hop();
  return s + *last + *first + (int)(sizeof a + sizeof b);
}

int main(void) {
  for (int n = 1; n < 12; n += 2)
    printf("%d\n", run(n, 13 - n));
}
