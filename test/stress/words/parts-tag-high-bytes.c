// A tag in the two high bytes, written through a pointer to them.
#include "words.h"

static NOINLINE void tag(void *word, uint16_t t) { memcpy((char *)word + 6, &t, 2); }
static NOINLINE long use(long *p) {
  uint64_t w = (uintptr_t)p;
  tag(&w, 0xabcd);
  hop();
  tag(&w, 0);
  hop();
  return *(long *)w;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
