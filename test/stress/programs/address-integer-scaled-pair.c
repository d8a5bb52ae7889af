// The difference of two addresses is an integer like any other: in every form it must survive the move unchanged.
#include "hop.h"

static NOINLINE long spread(char *p, char *q, char *r) {
  long d = (long)((uintptr_t)q - (uintptr_t)p);
  long e = (long)((uintptr_t)r - (uintptr_t)q) * 5;
  long f = ((long)(uintptr_t)p - (long)(uintptr_t)r) * 8;
  long g = -(long)((uintptr_t)p - (uintptr_t)q) / 3;
  hop();
  return d + e * 1000 + f * 7 + g;
}

int main(void) {
  char a[64] = {0};
  for (int i = 0; i < 60; i += 7)
    printf("%ld\n", spread(a + i, a + i / 2, a + 63 - i));
}
