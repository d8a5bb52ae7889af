// A template hides the type of the pointers that get into an array of numbers.
#include "words.h"
struct Box {
  uint64_t words[4] = {};
  template <class U> void put(int i, const U &u) { store(&words[i], &u, sizeof u); }
  static NOINLINE void store(void *to, const void *from, size_t n) { memcpy(to, from, n); }
  NOINLINE void mix() {
    for (auto &w : words)
      w ^= key();
  }
  template <class U> U get(int i) {
    U u;
    memcpy(&u, &words[i], sizeof u);
    return u;
  }
};
static NOINLINE long use(long *p) {
  Box b;
  b.put(1, p);
  hop();
  b.mix();
  hop();
  b.mix();
  hop();
  return *b.get<long *>(1);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
