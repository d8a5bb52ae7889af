// Half of an address, in a union, is compared with numbers.
#include "words.h"

union u {
  long *p;
  uint32_t h[2];
};

static NOINLINE bool above(const union u *u, uint32_t t) { return u->h[0] > t; }

static NOINLINE long use(long *p, UNUSED long *q) {
  union u u = {p};
  long wrong = 0;
  for (int i = 0; i < 60; i++) {
    bool before = above(&u, 70000000u * i);
    hop();
    wrong += before != above(&u, 70000000u * i);
  }
  return wrong;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
