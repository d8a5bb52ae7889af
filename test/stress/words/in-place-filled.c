// The two high bytes of a pointer are overwritten with a tag, where it lies.
#include "words.h"

static NOINLINE long use(long *p, UNUSED long *q) {
  long *v = p;
  memset((char *)&v + 6, 0x41, 2);
  hop();
  memset((char *)&v + 6, 0, 2);
  return *v;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
