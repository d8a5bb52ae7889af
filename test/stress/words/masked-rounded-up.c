// An address is rounded up far beyond its object.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  char *kept[2];
  kept[0] = __builtin_align_up((char *)p, 1 << 24);
  long wrong = 0;
  for (int i = 0; i < 30; i++) {
    hop_pointer(kept), p = hop_pointer(p), q = hop_pointer(q);
    wrong += kept[0] != __builtin_align_up((char *)p, 1 << 24);
  }
  return wrong;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
