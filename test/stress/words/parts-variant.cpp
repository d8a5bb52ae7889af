// std::variant, any and optional hold halves, arrays of bytes and numbers of addresses.
#include "words.h"

#include <any>
#include <array>
#include <bit>
#include <optional>
#include <variant>
struct Floats {
  float low, high;
};

static NOINLINE long use(long *p) {
  std::variant<double, std::array<unsigned char, 8>> v = std::bit_cast<std::array<unsigned char, 8>>(p);
  std::any a = std::bit_cast<std::array<uint32_t, 2>>(p);
  std::optional<Floats> o = std::bit_cast<Floats>(p);
  hop();
  auto of_any = std::any_cast<std::array<uint32_t, 2>>(a);
  return *std::bit_cast<long *>(std::get<1>(v)) * 100 + *std::bit_cast<long *>(of_any) * 10 +
         *std::bit_cast<long *>(*o);
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
