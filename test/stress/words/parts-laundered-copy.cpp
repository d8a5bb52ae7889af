// Bytes are copied through std::launder into a struct of halves.
#include "words.h"

#include <new>
struct Holder {
  long *p;
};
struct Halves {
  uint32_t low, high;
};
static NOINLINE long use(long *p) {
  alignas(8) unsigned char room[sizeof(Holder)];
  new (room) Holder{p};
  Holder *held = std::launder(reinterpret_cast<Holder *>(room));
  Halves h;
  memcpy(&h, held, sizeof h);
  uint32_t low = h.low, high = h.high;
  held->p = nullptr;
  hop();
  return *(long *)((uint64_t)high << 32 | low) + (held->p != nullptr);
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
