// An address goes through a result and an argument into a number, which another function changes.
#include "words.h"
struct record {
  uint64_t word[3];
};
static NOINLINE uint64_t number_of(long *p) {
  hop();
  return (uintptr_t)p;
}
static NOINLINE void keep(uint64_t *to, uint64_t a) { *to = a; }
static NOINLINE void hide(struct record *r) {
  for (int i = 0; i < 3; i++)
    r->word[i] = ~r->word[i];
}
static NOINLINE long *back(const uint64_t *from) {
  long *p;
  memcpy(&p, from, 8);
  return p;
}
static NOINLINE long use(long *p) {
  struct record r = {{0, 0, 0}};
  keep(&r.word[1], number_of(p));
  hop();
  hide(&r);
  hop();
  hide(&r);
  hop();
  return *back(&r.word[1]);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
