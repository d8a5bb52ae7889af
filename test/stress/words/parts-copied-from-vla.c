// Words are copied from an array of variable length into a struct that is read in halves.
#include "words.h"

struct halves {
  uint32_t part[4];
};
static NOINLINE long use(long *p, long n) {
  uintptr_t words[n];
  words[0] = (uintptr_t)p, words[1] = 7;
  struct halves h;
  memcpy(&h, words, sizeof h);
  uint32_t low = h.part[0], high = h.part[1];
  words[0] = 0;
  memset(&h, 0, sizeof h);
  hop();
  return *(long *)((uint64_t)high << 32 | low) + (long)words[0] + h.part[2];
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a, number()));
}
