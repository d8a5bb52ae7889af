// Exceptions through frames with destructors and pointers to locals; the object thrown is such a pointer, too, and the
// stack moves while it flies.
#include "hop.h"

struct Guard {
  int *count;
  ~Guard() {
    hop();
    ++*count;
  }
};

static NOINLINE int thrower(int n, int *count) {
  Guard g{count};
  hop();
  if (n == 0)
    throw count;
  if (n % 3 == 2)
    throw n;
  int r = thrower(n - 1, count);
  return r + n;
}

static NOINLINE int catcher(int n) {
  int count = 0;
  try {
    hop();
    return thrower(n, &count);
  } catch (int *p) {
    hop();
    return *p * 100 + (p == &count);
  } catch (int code) {
    hop();
    return code * 10 + count;
  }
}

int main() {
  for (int n = 0; n < 9; n++)
    printf("%d\n", catcher(n));
}
