// std::optional of pointers and of integers that are addresses, returned and compared over calls.
#include "words.h"
#include <optional>

static NOINLINE std::optional<long *> find(long *from, long *to, long what) {
  for (long *p = from; p != to; p++) {
    hop();
    if (*p == what)
      return p;
  }
  return std::nullopt;
}

static NOINLINE std::optional<uintptr_t> hide(std::optional<long *> p) {
  hop();
  if (!p)
    return std::nullopt;
  return (uintptr_t)*p ^ key();
}

static NOINLINE long use(long *from, long *to, long what) {
  auto found = find(from, to, what);
  auto hidden = hide(found);
  hop();
  return found ? (*found - from) * 10 + *(long *)(*hidden ^ key()) : -1;
}

int main() {
  long a[] = {4, 5, 6};
  hop_pointer(a);
  long first = use(a, a + 3, 6), second = use(a, a + 3, 7);
  printf("%ld %ld\n", first, second);
}
