// std::function with one captured reference, with two, with a lambda that holds a hidden address; copied and moved.
#include "words.h"
#include <functional>
#include <utility>

static NOINLINE long run(std::function<long()> f, int times) {
  long sum = 0;
  for (int i = 0; i < times; i++) {
    std::function<long()> copy = f;
    hop();
    std::function<long()> moved = std::move(copy);
    hop();
    sum = sum * 10 + moved();
  }
  return sum;
}

int main() {
  long a = 2, b = 3;
  uintptr_t hidden = (uintptr_t)&a ^ key();
  long first = run([&a] { return a; }, 2);
  long second = run([&a, &b] { return a + b; }, 2);
  long third = run([hidden] { return *(long *)(hidden ^ key()); }, 2);
  printf("%ld %ld %ld\n", first, second, third);
}
