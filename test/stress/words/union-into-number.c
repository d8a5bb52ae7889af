// A word of a union becomes a member that is declared as a number, which another function changes.
#include "words.h"
#ifndef MEMBERS
#define MEMBERS word, other
#endif
union word {
  long *pointer;
  uint64_t number;
};
struct record {
  uint64_t MEMBERS;
};
static NOINLINE void fill(union word *u, long *p) {
  u->pointer = p;
  hop();
}
static NOINLINE void hide(struct record *r) {
  uint64_t k = key();
  r->word ^= k;
}
static NOINLINE long use(long *p) {
  union word u;
  struct record r = {0, 0};
  fill(&u, p);
  r.word = u.number;
  u.number = 0;
  hop();
  hide(&r);
  hop();
  hide(&r);
  hop();
  u.number = r.word;
  return *u.pointer;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
