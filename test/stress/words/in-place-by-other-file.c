// An address as a number in a local variable, which another file changes.
#include "words.h"
struct record {
  uint64_t word, other;
};
void hide_in_place(struct record *r, uint64_t k);
static NOINLINE long use(long *p) {
  struct record r = {0, 0};
  r.word = (uintptr_t)p;
  hop();
  hide_in_place(&r, key());
  hop();
  hide_in_place(&r, key());
  hop();
  return *(long *)(uintptr_t)r.word;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
