// std::any with a pointer, a small struct with a pointer, and an integer that is an address.
#include "words.h"
#include <any>

struct Handle {
  long *to;
};

static NOINLINE long look(std::any value) {
  hop();
  long result = 0;
  if (auto *p = std::any_cast<long *>(&value))
    result = **p;
  else if (auto *h = std::any_cast<Handle>(&value))
    result = *h->to + 1;
  else if (auto *v = std::any_cast<uintptr_t>(&value))
    result = *(long *)*v + 2;
  hop();
  return result;
}

int main() {
  long a = 2;
  std::any all[] = {&a, Handle{&a}, (uintptr_t)&a};
  long sum = 0;
  for (auto &one : all)
    sum = sum * 10 + look(one);
  printf("%ld\n", sum);
}
