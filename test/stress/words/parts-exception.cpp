// An exception carries the halves of an address.
#include "words.h"

struct Halves {
  uint32_t low, high;
};
static NOINLINE void fail(long *p) {
  hop();
  throw Halves{(uint32_t)(uintptr_t)p, (uint32_t)((uintptr_t)p >> 32)};
}
static NOINLINE long use(long *p) {
  try {
    fail(p);
  } catch (const Halves &h) {
    hop();
    return *(long *)((uint64_t)h.high << 32 | h.low);
  }
  return 0;
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
