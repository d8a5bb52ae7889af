// A table of differences of labels, and a base that is kept as two halves.
#include "words.h"

static NOINLINE long use(long *p) {
  static const int32_t table[] = {&&first - &&first, &&second - &&first, &&third - &&first};
  uint32_t low = (uint32_t)(uintptr_t)&&first, high = (uintptr_t)&&first >> 32;
  long s = 0;
  int i = 0;
next:
  hop();
  goto *(void *)(((uintptr_t)high << 32 | low) + table[i++]);
first:
  s = s * 10 + *p;
  goto next;
second:
  s = s * 10 + 2;
  goto next;
third:
  return s;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
