// The bytes of an address in a string, and in an array of bytes.
#include "words.h"
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
int main() {
  long a = 7;
  long *p = &a;
  std::string s((char *)&p, 8);
  auto b = std::bit_cast<std::array<std::byte, 8>>(p);
  hop();
  long *q;
  memcpy(&q, s.data(), 8);
  printf("%ld\n", *q);
  printf("%ld\n", *std::bit_cast<long *>(b));
}
