// The high bytes of a pointer are overwritten by plain stores.
#include "words.h"

typedef unsigned short __attribute__((may_alias)) short_any;

static NOINLINE long use(long *p, long *q) {
  long *v = p, *w = q;
  ((short_any *)&v)[3] = number();
  ((unsigned char *)&w)[6] = number();
  hop_pointer(&w);
  hop_pointer(&v);
  ((short_any *)&v)[3] = 0;
  ((unsigned char *)&w)[6] = 0;
  return *v * 10 + *w;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
