// An address is kept as a pointer relative to gs, in memory and returned from a function.
#include "words.h"
struct S {
  long __seg_gs *q;
};
static NOINLINE long __seg_gs *same(long __seg_gs *q) {
  hop();
  return q + 1;
}
static NOINLINE void fill(struct S *s, long *p) { s->q = (long __seg_gs *)(uintptr_t)p; }
static NOINLINE long use(long *p) {
  struct S s;
  fill(&s, p);
  hop();
  long __seg_gs *q = same(s.q);
  hop();
  return *(long *)(uintptr_t)(q - 1);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
