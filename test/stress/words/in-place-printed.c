// The C library writes into the two high bytes of a pointer.
#include "words.h"

static NOINLINE long use(long *p, UNUSED long *q) {
  long *v = p;
  hop_pointer(&v);
  sprintf((char *)&v + 6, "%c", (int)number() + 50);
  hop();
  memset((char *)&v + 6, 0, 2);
  return *v;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
