// Structs aligned to 32 and 64 bytes by value: the outgoing area must stay aligned wherever the stack goes.
#include "hop.h"

struct wide {
  _Alignas(64) int n;
  int *p;
};
struct half {
  _Alignas(32) int *p[3];
};

static NOINLINE long take(int *first, struct wide w, struct half h, int depth) {
  long wrong = (uintptr_t)hop_pointer(&w) % 64 + (uintptr_t)hop_pointer(&h) % 32;
  hop();
  w.n++;
  *w.p += 1;
  int mine = depth;
  h.p[1] = &mine;
  long below = depth ? take(w.p, w, h, depth - 1) : *first;
  hop();
  return wrong * 1000000 + below * 3 + w.n + *w.p + *h.p[0] + *h.p[1] + *h.p[2];
}

static NOINLINE struct wide make(int *p) {
  struct wide w = {*p, p};
  hop();
  return w;
}

int main(void) {
  int a[3] = {1, 2, 3};
  for (int depth = 0; depth < 6; depth++) {
    struct wide w = make(a + depth % 3);
    struct half h = {{a, a + 1, a + 2}};
    hop();
    printf("%ld\n", take(a, w, h, depth));
  }
}
