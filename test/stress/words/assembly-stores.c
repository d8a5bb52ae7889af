// Inline assembly stores an address, hidden, through a pointer, and loads it after a call.
#include "words.h"

static NOINLINE long use(long *p, uint64_t *place) {
  __asm__ volatile("not %0\n\tmov %0, (%1)\n\tnot %0" : "+r"(p) : "r"(place) : "memory", "cc");
  hop();
  return *(long *)~*place;
}

int main(void) {
  long a = 5;
  uint64_t place = 0;
  printf("%ld\n", use(&a, &place));
}
