// Exceptions carry words that are addresses: plain, hidden, in a struct, in bytes.
#include "words.h"
#include <cstring>

struct Report {
  uintptr_t hidden;
  unsigned char bytes[8];
  double real;
};

static NOINLINE void fail(long *p, int how) {
  hop();
  if (how == 0)
    throw (uintptr_t)p;
  if (how == 1)
    throw Report{.hidden = (uintptr_t)p ^ key(), .bytes = {}, .real = (double)(uintptr_t)p};
  Report r{};
  memcpy(r.bytes, &p, sizeof p);
  throw r;
}

static NOINLINE long use(long *p, int how) {
  try {
    fail(p, how);
  } catch (uintptr_t word) {
    hop();
    return *(long *)word;
  } catch (const Report &r) {
    hop();
    if (how == 1)
      return *(long *)(r.hidden ^ key()) + *(long *)(uintptr_t)r.real;
    long *back;
    memcpy(&back, r.bytes, sizeof back);
    hop();
    return *back;
  }
  return 0;
}

int main() {
  long a = 2;
  long first = use(&a, 0), second = use(&a, 1), third = use(&a, 2);
  printf("%ld %ld %ld\n", first, second, third);
}
