// A VLA of pointers allocated anew in each turn of two nested loops, released at the end of its block.
#include "hop.h"

static NOINLINE int run(int n) {
  int v[16], sum = 0;
  for (int i = 0; i < 16; i++)
    v[i] = i * i;
  for (int i = 1; i <= n; i++) {
    int *p[i];
    for (int j = 0; j < i; j++) {
      int q[j + 1];
      p[j] = v + j;
      q[j] = *p[j] + i;
      hop();
      sum = (sum * 3 + q[j] + *p[j / 2]) % 1000003;
    }
    hop();
    sum += **p + *p[i - 1];
  }
  return sum;
}

int main(void) {
  for (int n = 0; n < 16; n += 3)
    printf("%d\n", run(n));
}
