// A hash decides which way is taken, with a call on one of them.
#include "words.h"

static NOINLINE int kind(long *p) {
  if ((uintptr_t)p >> 17 & 1) {
    hop();
    return 3;
  }
  return 7;
}

static NOINLINE long use(long *p, long *q) {
  long wrong = 0;
  for (int i = 0; i < 30; i++) {
    int before = kind(p);
    p = hop_pointer(p), q = hop_pointer(q);
    wrong += before != kind(p);
  }
  return wrong;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
