// The bytes of an address, under a tag, in a std::variant that is otherwise a string: memory without a type.
#include "words.h"

#include <string>
#include <variant>

struct Tagged {
  unsigned char bytes[8];
  void set(long *p) {
    memcpy(bytes, &p, sizeof p);
    bytes[7] = 0x55;
  }
  long *get() const {
    Tagged plain = *this;
    plain.bytes[7] = 0;
    long *p;
    memcpy(&p, plain.bytes, sizeof p);
    return p;
  }
};
using Value = std::variant<std::string, Tagged>;

static NOINLINE void fill(Value &v, long *p) { v.emplace<Tagged>().set(p); }

struct Get {
  long operator()(const std::string &of) const { return (long)of.size(); }
  long operator()(const Tagged &of) const { return *of.get(); }
};

static NOINLINE long use(long *p) {
  long sum = 0;
  Value v, w = std::string("ab");
  fill(v, p);
  hop();
  std::swap(v, w);
  hop();
  std::visit(
      [&](auto &of, auto &other) {
        hop();
        sum = Get()(of) * 10 + Get()(other);
        hop();
      },
      v, w);
  return sum * 10 + std::visit(Get(), w);
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
