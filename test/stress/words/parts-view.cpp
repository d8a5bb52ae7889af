// A string_view and a span are kept as a difference and a length.
#include "words.h"

#include <span>
#include <string_view>
static NOINLINE long use(long *p) {
  long a[4] = {*p, 6, 7, 8};
  char text[] = "the text";
  std::span<long> s(a);
  std::string_view v(text);
  uint32_t low = (uint32_t)(uintptr_t)s.data(), high = (uint32_t)((uintptr_t)s.data() >> 32);
  size_t n = s.size();
  uint64_t hidden = ~(uintptr_t)v.data();
  hop();
  std::span<long> again((long *)((uint64_t)high << 32 | low), n);
  return again[1] * 10 + (std::string_view((char *)~hidden, v.size()) == "the text");
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
