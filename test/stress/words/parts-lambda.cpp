// Lambdas capture the halves of an address, and one calls the other through std::function.
#include "words.h"

#include <functional>
static NOINLINE std::function<long()> make(long *p) {
  uint32_t low = (uint32_t)(uintptr_t)p, high = (uint32_t)((uintptr_t)p >> 32);
  return [=] {
    hop();
    return *(long *)((uint64_t)high << 32 | low);
  };
}
static NOINLINE long use(long *p) {
  auto f = make(p);
  hop();
  return f();
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
