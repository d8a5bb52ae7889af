// std::rotate over the bytes of a pointer.
#include "words.h"
#include <algorithm>
#include <array>
#include <bit>
static NOINLINE long use(long *p) {
  auto b = std::bit_cast<std::array<unsigned char, 8>>(p);
  std::rotate(b.begin(), b.begin() + 3, b.end());
  hop();
  std::rotate(b.begin(), b.begin() + 5, b.end());
  return *std::bit_cast<long *>(b);
}
int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
