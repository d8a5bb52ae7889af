// Closures by value that hold references, and a closure that holds words; passed through templates and pointers.
#include "words.h"

template <class F> static NOINLINE long call(F f) {
  hop();
  long first = f();
  hop();
  return first * 10 + f();
}

static NOINLINE long erased(long (*invoke)(const void *), const void *closure) {
  hop();
  return invoke(closure);
}

int main() {
  long a = 2, b = 3;
  uintptr_t h = ~(uintptr_t)&b;
  auto one = [&a] { return a; };
  auto words = [&a, h, n = 1L] { return a + *(long *)~h + n; };
  long sum = call(one) * 100 + call(words);
  unsigned char box[sizeof words];
  memcpy(box, &words, sizeof words);
  hop();
  sum = sum * 10 + erased([](const void *c) { return (*(const decltype(words) *)c)(); }, box);
  printf("%ld\n", sum);
}
