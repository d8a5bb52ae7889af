// Tuples and pairs of addresses, numbers and integers that are addresses, returned, tied and swapped.
#include "words.h"
#include <tuple>
#include <utility>

static NOINLINE std::tuple<uintptr_t, long, long *> make(long *p) { return {(uintptr_t)p ^ key(), *p, p}; }
static NOINLINE std::pair<uint64_t, uint64_t> halves(long *p) { return {(uintptr_t)p >> 32, (uint32_t)(uintptr_t)p}; }

static NOINLINE long use(long *p) {
  auto [hidden, number, pointer] = make(p);
  auto both = halves(p);
  hop();
  std::swap(both.first, both.second);
  long sum = *(long *)(hidden ^ key()) + number + *pointer;
  hop();
  std::tie(number, pointer) = std::make_tuple(sum, (long *)(both.second << 32 | both.first));
  hop();
  return number * 10 + *pointer;
}

int main() {
  long a = 2;
  printf("%ld\n", use(&a));
}
