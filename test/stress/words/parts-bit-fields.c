// The parts of an address lie in bit-fields of two structs.
#include "words.h"

struct low {
  unsigned first : 12, second : 20;
};
struct high {
  unsigned third : 16, rest : 16;
};
static NOINLINE void split(long *p, struct low *l, struct high *h) {
  uint64_t v = (uintptr_t)p;
  l->first = v & 0xfff, l->second = v >> 12;
  h->third = v >> 32, h->rest = v >> 48;
}
static NOINLINE long use(long *p) {
  struct low l;
  struct high h;
  split(p, &l, &h);
  hop();
  return *(long *)((uint64_t)l.first | (uint64_t)l.second << 12 | (uint64_t)h.third << 32 | (uint64_t)h.rest << 48);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
