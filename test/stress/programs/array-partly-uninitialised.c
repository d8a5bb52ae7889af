// Only a part of these pointer arrays was ever written: what lies in the rest must be copied, not believed.
#include "hop.h"

struct slot {
  int used;
  int *p;
};

static NOINLINE void junk(int n) {
  volatile double noise[64];
  for (int i = 0; i < 64; i++)
    noise[i] = 6.9e-310 + n; // the bits of such numbers look like addresses
}

static NOINLINE int partly(int n) {
  int a[16], *p[16];
  struct slot s[16];
  for (int i = 0; i < n; i++) {
    a[i] = i * n;
    p[i] = a + i;
  }
  for (int i = 0; i < 16; i++) {
    s[i].used = i < n;
    if (i < n)
      s[i].p = p[n - 1 - i];
  }
  hop();
  int sum = 0;
  for (int i = 0; i < 16; i++)
    if (s[i].used) {
      hop();
      sum = (sum * 3 + *s[i].p + *p[i]) % 1000003;
    }
  return sum;
}

int main(void) {
  for (int n = 0; n <= 16; n += 4) {
    junk(n);
    printf("%d\n", partly(n));
  }
}
