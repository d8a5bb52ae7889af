// An address is rounded down far beyond its object, and kept as a pointer.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  char *base = __builtin_align_down((char *)p, 1 << 22);
  long wrong = 0;
  for (int i = 0; i < 30; i++) {
    p = hop_pointer(p), q = hop_pointer(q);
    wrong += base != __builtin_align_down((char *)p, 1 << 22);
  }
  return wrong;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
