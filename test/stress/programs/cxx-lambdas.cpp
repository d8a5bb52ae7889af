// Lambdas that capture by reference and by pointer, held in locals, passed on by reference, and nested.
#include "hop.h"

template <typename F> static NOINLINE void each(int *from, int *to, const F &f) {
  for (int *p = from; p != to; p++) {
    hop();
    f(*p);
  }
}

struct View {
  int (*call)(void *, int);
  void *self;
};
template <typename F> static View view(F &f) {
  return {[](void *self, int n) { return (*static_cast<F *>(self))(n); }, &f};
}

int main() {
  int a[7], sum = 0, calls = 0, *last = nullptr;
  for (int i = 0; i < 7; i++)
    a[i] = i * i;
  auto add = [&](int &n) {
    sum += n;
    hop();
    last = &n;
    n++;
  };
  each(a, a + 7, add);
  auto nested = [&calls, &add, p = a](int n) {
    calls++;
    hop();
    each(p, p + n, add);
    return *p + n;
  };
  View v = view(nested);
  hop();
  for (int i = 0; i < 5; i++)
    printf("%d\n", v.call(v.self, i) + (last ? *last : 0));
  printf("%d %d %d\n", sum, calls, static_cast<int>(last - a));
}
