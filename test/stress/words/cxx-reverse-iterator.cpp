// Reverse iterators over arrays, spans and strings on the stack.
#include "words.h"
#include <iterator>
#include <span>
#include <string_view>

static NOINLINE long sum(std::span<const long> s) {
  long total = 0;
  for (auto i = s.rbegin(); i != s.rend(); ++i) {
    hop();
    total = total * 10 + *i;
  }
  return total;
}

static NOINLINE long text(std::string_view s) {
  long total = 0;
  for (auto i = std::make_reverse_iterator(s.end()); i != std::make_reverse_iterator(s.begin()); ++i) {
    hop();
    total = total * 3 + *i;
  }
  return total;
}

int main() {
  long a[] = {1, 2, 3};
  hop_pointer(a);
  char t[] = "abc";
  printf("%ld %ld\n", sum(a), text(t));
}
