// Words that are addresses come back in structs, in registers and in memory.
#include "words.h"

struct two {
  uint64_t a, b;
};
struct three {
  uint64_t a;
  double b;
  unsigned char c[8];
};

static NOINLINE struct two make_two(long *p) { return (struct two){(uintptr_t)p ^ key(), (uintptr_t)p}; }
static NOINLINE struct three make_three(long *p) {
  struct three t = {.a = -(uintptr_t)p};
  memcpy(&t.b, &p, sizeof p);
  memcpy(t.c, &p, sizeof p);
  return t;
}
static struct two (*volatile two)(long *) = make_two;
static struct three (*volatile three)(long *) = make_three;

static NOINLINE long use(long *p) {
  struct two t = two(p);
  struct three u = three(p);
  hop();
  long *b, *c;
  memcpy(&b, &u.b, sizeof b);
  memcpy(&c, u.c, sizeof c);
  hop();
  return *(long *)(t.a ^ key()) + *(long *)t.b * 10 + *(long *)-u.a * 100 + *b * 1000 + *c * 10000;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
