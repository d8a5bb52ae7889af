// A pointer into a local array that advances through a loop of calls, forwards, backwards and by a variable step.
#include "hop.h"

static NOINLINE long forwards(int n, int step) {
  int a[64];
  for (int i = 0; i < 64; i++)
    a[i] = i * i % 37;
  long sum = 0;
  for (int *p = a, *end = a + n; p < end; p += step) {
    hop();
    sum = (sum * 3 + *p) % 1000003;
    *p = (int)sum;
  }
  for (int *p = a + n; p-- > a;) {
    hop();
    sum = (sum * 5 + *p) % 1000003;
  }
  return sum;
}

int main(void) {
  for (int n = 1; n < 64; n += 12)
    printf("%ld %ld\n", forwards(n, 1), forwards(n, 3));
}
