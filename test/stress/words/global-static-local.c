// Static variables of functions keep addresses of their callers' locals, hidden, from one call to the next.
// changes: globals
#include "words.h"

static NOINLINE long turn(long *p) {
  static uintptr_t before;
  static double as_real;
  static unsigned char bytes[9];
  long result = 0;
  if (before) {
    long *q;
    memcpy(&q, bytes + 1, sizeof q);
    result = *(long *)(before << 3 | before >> 61) + *(long *)(uintptr_t)as_real + *q;
  }
  before = (uintptr_t)p >> 3 | (uintptr_t)p << 61;
  as_real = (double)(uintptr_t)p;
  memcpy(bytes + 1, &p, sizeof p);
  hop();
  return result;
}

int main(void) {
  long a[4] = {1, 2, 3, 4}, sum = 0;
  hop_pointer(a);
  for (int i = 0; i < 4; i++) {
    sum = sum * 10 + turn(a + i);
    hop();
  }
  printf("%ld\n", sum);
}
