// A function object of one's own with room for small closures in an array of words, as many programs have.
#include "words.h"
#include <new>
#include <type_traits>
#include <utility>

class Callback {
  std::aligned_storage_t<16, 8> room;
  long (*invoke)(void *);

public:
  template <class F> Callback(F f) : invoke([](void *at) { return (*(F *)at)(); }) {
    static_assert(sizeof(F) <= 16);
    new (&room) F(f);
  }
  long operator()() { return invoke(&room); }
};

static NOINLINE long all(Callback *callbacks, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    Callback mine = callbacks[i];
    hop();
    sum = sum * 10 + mine();
    hop();
    std::swap(callbacks[i], callbacks[count - 1]);
  }
  return sum;
}

int main() {
  long a = 2, b = 3;
  Callback callbacks[] = {[&a] { return a; }, [&a, &b] { return a + b; }, [] { return 1L; }};
  long sum = all(callbacks, 3);
  printf("%ld\n", sum);
}
