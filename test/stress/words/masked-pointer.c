// A pointer is aligned down to a megabyte and the distance from there kept, as allocators do.
#include "words.h"

static NOINLINE long use(char *p) {
  char *base = __builtin_align_down(p, 1 << 20), *near = __builtin_align_down(p, 1 << 12);
  long distance = p - base, small = p - near;
  hop();
  long sum = *(long *)(base + distance);
  hop();
  return sum * 10 + *(long *)(near + small);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use((char *)&a));
}
