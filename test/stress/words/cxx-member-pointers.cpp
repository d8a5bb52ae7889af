// Pointers to members: functions, virtual functions, data. The first is an address of the program in an integer.
#include "words.h"

struct Base {
  long n;
  virtual long twice(long x) { return 2 * x + n; }
  long thrice(long x) { return 3 * x + n; }
};
struct Derived : Base {
  long m;
  long twice(long x) override { return 20 * x + m; }
};

using Method = long (Base::*)(long);

static NOINLINE Method choose(int which) { return which ? &Base::thrice : &Base::twice; }
static Method (*volatile choice)(int) = choose;

static NOINLINE long use(Base &object, Method *methods, long Base::*data) {
  Method kept = methods[0];
  hop();
  long sum = (object.*kept)(1);
  hop();
  Method again = methods[1];
  sum = sum * 100 + (object.*again)(1) + (kept == methods[0]);
  hop();
  return sum * 10 + object.*data;
}

int main() {
  Derived d;
  d.n = 1;
  d.m = 2;
  Method methods[] = {choice(0), choice(1)};
  printf("%ld\n", use(d, methods, &Base::n));
}
