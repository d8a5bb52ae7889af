// Pointers to members and to member functions, virtual and not: offsets that are no addresses, and addresses.
#include "hop.h"

struct Counter {
  int a = 1, b = 2;
  int *c = &a;
  int up(int n) {
    hop();
    return a += n;
  }
  virtual int down(int n) {
    hop();
    return b -= n;
  }
  virtual ~Counter() = default;
};
struct Twice : Counter {
  int down(int n) override {
    hop();
    return b -= 2 * n;
  }
};

static NOINLINE int apply(Counter &c, int (Counter::*f)(int), int Counter::*m, int n) {
  hop();
  int r = (c.*f)(n);
  hop();
  c.*m += r;
  return c.*m * 10 + *c.c;
}

int main() {
  Counter plain;
  Twice twice;
  Counter *which[] = {&plain, &twice};
  int (Counter::*functions[])(int) = {&Counter::up, &Counter::down};
  int Counter::*members[] = {&Counter::a, &Counter::b};
  for (int i = 0; i < 8; i++) {
    auto f = functions[i & 1];
    auto m = members[i >> 1 & 1];
    hop();
    printf("%d\n", apply(*which[i >> 2], f, m, i));
  }
}
