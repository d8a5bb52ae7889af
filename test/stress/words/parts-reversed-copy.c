// A copy of an object with its bytes in reverse order.
#include "words.h"

static NOINLINE void reverse(unsigned char *to, const unsigned char *from, int n) {
  for (int i = 0; i < n; i++)
    to[n - 1 - i] = from[i];
}
static NOINLINE long use(long *p) {
  unsigned char kept[8];
  reverse(kept, (unsigned char *)&p, 8);
  p = 0;
  hop();
  reverse((unsigned char *)&p, kept, 8);
  return *p;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
