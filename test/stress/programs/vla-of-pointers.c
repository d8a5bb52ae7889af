// VLAs of pointers into another VLA and into fixed locals, sorted and followed.
#include "hop.h"

static NOINLINE void turn(int n, int *p[n]) {
  for (int i = 0; i < n / 2; i++) {
    int *t = p[i];
    hop();
    p[i] = p[n - 1 - i];
    p[n - 1 - i] = t;
  }
}

static NOINLINE int run(int n) {
  int fixed[3] = {100, 200, 300}, a[n];
  int *p[n];
  for (int i = 0; i < n; i++) {
    a[i] = i;
    p[i] = i % 4 ? a + i : fixed + i % 3;
  }
  hop();
  turn(n, p);
  int sum = 0;
  for (int i = 0; i < n; i++) {
    hop();
    sum = (sum * 3 + *p[i]) % 1000003;
  }
  return sum;
}

int main(void) {
  for (int n = 1; n < 25; n += 4)
    printf("%d\n", run(n));
}
