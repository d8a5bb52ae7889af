// An address is taken apart as the bytes of a struct with a member pointer.
#include "words.h"

struct Target {
  long n;
  long get() {
    hop();
    return n;
  }
};
struct Call {
  long (Target::*method)();
  Target *at;
};
static NOINLINE void swap_bytes(void *a, int n) {
  auto *b = (unsigned char *)a;
  for (int i = 0; i + 1 < n; i += 2) {
    unsigned char kept = b[i];
    b[i] = b[i + 1], b[i + 1] = kept;
  }
}
static NOINLINE long use(long *p) {
  Target t{*p};
  Call c{&Target::get, &t};
  swap_bytes(&c, sizeof c);
  hop();
  swap_bytes(&c, sizeof c);
  return (c.at->*c.method)();
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
