// std::string keeps an address of itself; a vector on the heap keeps addresses of locals, hidden.
#include "words.h"
#include <string>
#include <vector>

static NOINLINE long use(long *p) {
  std::string text = "short";
  std::vector<uintptr_t> words{(uintptr_t)p, (uintptr_t)p ^ key()};
  std::string moved = std::move(text);
  hop();
  text = moved + "!";
  hop();
  long sum = *(long *)words[0] * 10 + *(long *)(words[1] ^ key());
  hop();
  return sum * 100 + (long)text.size() + (moved < text);
}

int main() {
  long a = 2;
  printf("%ld\n", use(&a));
}
