// std::variant of a number, an address, a double and a hidden address.
#include "words.h"
#include <variant>

struct Hidden {
  uintptr_t word;
};
using Value = std::variant<long, long *, double, Hidden>;

struct Get {
  long operator()(long n) const { return n; }
  long operator()(long *p) const { return *p; }
  long operator()(double d) const { return (long)d; }
  long operator()(Hidden h) const { return *(long *)(h.word ^ key()); }
};

static NOINLINE long look(Value value) {
  hop();
  long before = std::visit(Get(), value);
  hop();
  return before + std::visit(Get(), value);
}

int main() {
  long a = 2;
  Value all[] = {1L, &a, 3.5, Hidden{(uintptr_t)&a ^ key()}};
  long sum = 0;
  for (int times = 0; times < 2; times++)
    for (int i = 0; i < 4; i++) {
      sum = sum * 10 + look(all[i]);
      std::swap(all[i], all[(i + 1) % 4]);
    }
  printf("%ld\n", sum);
}
