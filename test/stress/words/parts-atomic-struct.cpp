// An atomic struct of two halves.
#include "words.h"

#include <atomic>
struct Halves {
  uint32_t low, high;
};
static NOINLINE long use(long *p) {
  std::atomic<Halves> a{{(uint32_t)(uintptr_t)p, (uint32_t)((uintptr_t)p >> 32)}};
  hop();
  Halves h = a.load();
  hop();
  Halves swapped = a.exchange({h.high, h.low});
  hop();
  Halves s = a.load();
  return *(long *)((uint64_t)swapped.high << 32 | swapped.low) * 10 + *(long *)((uint64_t)s.low << 32 | s.high);
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
