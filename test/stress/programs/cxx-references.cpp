// References to locals in parameters, members and returns, across calls.
#include "hop.h"

struct Pair {
  int &a;
  const int &b;
};

static NOINLINE int &larger(int &x, int &y) {
  hop();
  return x > y ? x : y;
}

static NOINLINE int use(Pair p, int &&temporary) {
  hop();
  p.a += p.b;
  temporary *= 2;
  hop();
  int &m = larger(p.a, temporary);
  hop();
  m += 1;
  return p.a * 100 + temporary;
}

int main() {
  int x = 1, y = 2;
  for (int i = 0; i < 6; i++) {
    int &r = larger(x, y);
    r -= 3;
    printf("%d ", use({x, y}, i * 4));
    printf("%d %d\n", x, y);
    y += 2;
  }
}
