// Neighbouring words of a struct are loaded, kept over a call and stored elsewhere, which the optimiser does as
// vectors.
#include "words.h"

struct four {
  uint64_t a, b, c, d;
};

static NOINLINE void copy(struct four *to, const struct four *from, uint64_t k) {
  uint64_t a = from->a ^ k, b = from->b ^ k, c = from->c ^ k, d = from->d ^ k;
  hop();
  to->a = a ^ k;
  to->b = b ^ k;
  to->c = c ^ k;
  to->d = d ^ k;
}

static NOINLINE void fill(struct four *f, long *p) {
  *f = (struct four){(uintptr_t)p, (uintptr_t)(p + 1), ~(uintptr_t)p, 7};
}

int main(void) {
  long v[2] = {4, 5};
  hop_pointer(v);
  struct four a, b;
  fill(&a, v);
  copy(&b, &a, key());
  hop();
  printf("%ld %ld %ld %ld\n", *(long *)b.a, *(long *)b.b, *(long *)~b.c, (long)b.d);
}
