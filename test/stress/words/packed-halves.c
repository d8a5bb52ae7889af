// An address is taken apart into two numbers of 32 bits in a struct, and put together after a call.
#include "words.h"

struct halves {
  uint32_t low, high;
};

static NOINLINE struct halves split(long *p) {
  return (struct halves){(uint32_t)(uintptr_t)p, (uint32_t)((uintptr_t)p >> 32)};
}

static NOINLINE long keep(struct halves h) {
  hop();
  return *(long *)((uintptr_t)h.high << 32 | h.low);
}

int main(void) {
  long a = 5;
  struct halves h = split(&a);
  hop();
  printf("%ld\n", keep(h));
}
