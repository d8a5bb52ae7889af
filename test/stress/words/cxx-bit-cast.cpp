// std::bit_cast of addresses to integers, doubles, arrays of bytes and of halves, and back.
#include "words.h"
#include <array>
#include <bit>

template <class Word> static NOINLINE long keep(long *p) {
  auto word = std::bit_cast<Word>(p);
  hop();
  Word more[2] = {word, word};
  hop();
  return *std::bit_cast<long *>(more[1]) + *std::bit_cast<long *>(word);
}

struct Halves {
  uint32_t low, high;
};

int main() {
  long a = 2;
  long sum = keep<uint64_t>(&a);
  sum = sum * 10 + keep<double>(&a);
  sum = sum * 10 + keep<std::array<unsigned char, 8>>(&a);
  sum = sum * 10 + keep<Halves>(&a);
  sum = sum * 10 + keep<std::array<uint16_t, 4>>(&a);
  printf("%ld\n", sum);
}
