// A tag is copied over the two high bytes of pointers in an array.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  long *v[2] = {p, q};
  short tag = number();
  memcpy((char *)v + 6, &tag, 2);
  hop_pointer(&tag);
  memcpy((char *)v + 14, &tag, 2);
  hop();
  memset((char *)v + 6, 0, 2);
  memset((char *)v + 14, 0, 2);
  return *v[0] * 10 + *v[1];
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
