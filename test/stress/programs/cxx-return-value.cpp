// Objects built in the caller's frame (copy elision): a constructor keeps its own address, which must follow.
#include "hop.h"

struct Self {
  Self *me;
  int n;
  explicit Self(int n) : me(this), n(n) { hop(); }
  Self(const Self &other) : me(this), n(other.n + 1000) { hop(); }
  bool right() const { return me == this; }
};

static NOINLINE Self make(int n) {
  Self s(n);
  hop();
  if (n > 2)
    s.n *= 2;
  return s;
}
static NOINLINE Self pass(Self s, int n) {
  hop();
  return n & 1 ? Self(s) : make(n + s.n);
}

int main() {
  for (int n = 0; n < 6; n++) {
    Self s = make(n);
    hop();
    Self t = pass(s, n);
    hop();
    printf("%d %d %d %d\n", s.right(), s.n, t.right(), t.n);
  }
}
