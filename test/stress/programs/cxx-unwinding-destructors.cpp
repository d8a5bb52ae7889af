// Destructors that unwinding runs move, throw and catch exceptions of their own, and ask how many are uncaught.
#include "hop.h"
#include <exception>

static int depth_seen;

static NOINLINE void throw_number(int n) {
  hop();
  throw n;
}

struct Busy {
  int *sum;
  int value;
  Busy *above;
  ~Busy() {
    hop();
    int flying = std::uncaught_exceptions();
    try {
      hop();
      Busy *at = this;
      int length = 0;
      while (at) {
        length++;
        hop();
        at = at->above;
      }
      throw_number(value * 10 + length);
    } catch (int &mine) {
      hop();
      depth_seen = std::uncaught_exceptions();
      *sum += mine + depth_seen + (flying == depth_seen);
    }
    hop();
  }
};

static NOINLINE int nest(int n, int *sum, Busy *above) {
  Busy busy{sum, n, above};
  hop();
  if (n == 0)
    throw_number(-1);
  int inner = nest(n - 1, sum, &busy);
  hop();
  return inner + *busy.sum;
}

static void noexcept_work(int *sum) noexcept {
  try {
    nest(2, sum, nullptr);
  } catch (int n) {
    hop();
    *sum += n;
  }
}

int main() {
  for (int n = 0; n < 5; n++) {
    int sum = 0;
    try {
      nest(n, &sum, nullptr);
    } catch (int code) {
      hop();
      printf("%d: %d %d %d\n", n, code, sum, std::uncaught_exceptions());
    }
  }
  int sum = 0;
  noexcept_work(&sum);
  printf("%d\n", sum);
}
