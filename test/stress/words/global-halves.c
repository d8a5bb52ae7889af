// Two global numbers of 32 bits hold the halves of an address of the stack.
// changes: globals
#include "words.h"

static uint32_t kept[2];

static NOINLINE void put(long *p) {
  kept[0] = (uint32_t)(uintptr_t)p;
  kept[1] = (uint32_t)((uintptr_t)p >> 32);
}

static NOINLINE long use(long *p) {
  long *volatile q = p;
  put(q);
  hop();
  long sum = *(long *)((uintptr_t)kept[1] << 32 | kept[0]);
  hop();
  return sum * 10 + ((long *)((uintptr_t)kept[1] << 32 | kept[0]) == q);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
