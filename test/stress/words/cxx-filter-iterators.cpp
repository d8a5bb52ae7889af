// Iterators of views that keep addresses of each other.
#include "words.h"

#include <ranges>
static NOINLINE long use(long *p) {
  long a[6] = {*p, 6, 7, 8, 9, 10};
  long least = 6;
  auto odd = a | std::views::filter([&](long v) { return v > least; }) |
             std::views::transform([&](long v) { return v - least; });
  long s = 0;
  for (auto it = odd.begin(); it != odd.end(); ++it) {
    hop();
    s = s * 10 + *it;
  }
  return s;
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
