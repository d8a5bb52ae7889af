// A pool of blocks in one local array of numbers; each free block holds the address of the next one.
#include "words.h"

struct pool {
  uint64_t room[64];
  void *free;
};

static NOINLINE void start(struct pool *p) {
  p->free = 0;
  for (int i = 0; i < 8; i++) {
    memcpy(p->room + 8 * i, &p->free, sizeof p->free);
    p->free = p->room + 8 * i;
  }
}

static NOINLINE void *take(struct pool *p) {
  void *block = p->free;
  hop();
  memcpy(&p->free, block, sizeof p->free);
  return block;
}

static NOINLINE void give(struct pool *p, void *block) {
  memcpy(block, &p->free, sizeof p->free);
  hop();
  p->free = block;
}

int main(void) {
  struct pool p;
  start(&p);
  long *a = take(&p), *b = take(&p);
  *a = 1, *b = 2;
  give(&p, a);
  long *c = take(&p), *d = take(&p);
  *d = 4;
  hop();
  printf("%d %ld\n", c == a, *b * 10 + *d);
}
