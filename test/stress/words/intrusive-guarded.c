// Pointers in a struct are guarded by a checksum of them, or by a key, against overwriting.
#include "words.h"

struct guarded {
  uintptr_t hidden;
  uint64_t check;
};

static NOINLINE void set(struct guarded *g, void *p) {
  g->hidden = ((uintptr_t)p ^ key()) << 11 | ((uintptr_t)p ^ key()) >> 53;
  g->check = g->hidden * 31 + 7;
}

static NOINLINE void *get(const struct guarded *g) {
  hop();
  if (g->check != g->hidden * 31 + 7)
    return 0;
  return (void *)((g->hidden >> 11 | g->hidden << 53) ^ key());
}

int main(void) {
  long a = 4, b = 5;
  struct guarded g[2];
  set(g, &a);
  set(g + 1, &b);
  hop();
  long *p = get(g), *q = get(g + 1);
  printf("%d %ld\n", p && q, p && q ? *p * 10 + *q : 0);
}
