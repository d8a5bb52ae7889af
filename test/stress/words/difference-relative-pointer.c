// Relative pointers: each word of a struct holds the distance from itself to what it points at.
#include "words.h"

struct relative {
  intptr_t to;
};

static void set(struct relative *r, void *p) { r->to = (intptr_t)p - (intptr_t)r; }
static void *get(struct relative *r) { return (void *)((intptr_t)r + r->to); }

static long global = 7;

static NOINLINE long sum(struct relative *r, int count) {
  long total = 0;
  for (int i = 0; i < count; i++) {
    hop();
    total = total * 10 + *(long *)get(r + i);
  }
  return total;
}

int main(void) {
  long a = 5, b = 6;
  struct relative r[3];
  set(r, &a);
  set(r + 1, &b);
  set(r + 2, &global);
  hop();
  printf("%ld\n", sum(r, 3));
}
