// One past the end of one local is where another may begin: neither may follow the wrong object.
#include "hop.h"

static NOINLINE int ends(int n) {
  int a[4] = {n, n + 1, n + 2, n + 3}, b[4] = {n * 2, n * 3, n * 4, n * 5};
  int *end_a = a + 4, *end_b = b + 4;
  hop();
  int sum = 0;
  for (int *p = end_a; p-- != a;) {
    hop();
    sum = sum * 3 + *p;
  }
  for (int *p = b; p != end_b; p++) {
    hop();
    sum = sum * 3 + *p;
  }
  return sum + (int)(end_a - a) + (int)(end_b - b);
}

int main(void) {
  for (int n = 0; n < 5; n++)
    printf("%d\n", ends(n));
}
