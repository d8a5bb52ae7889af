// An address in a union, found bit by bit by comparisons with a guess.
#include "words.h"
union U {
  void *p;
  uint64_t n;
};
static NOINLINE long use(union U *u) {
  uint64_t guess = 0;
  for (int bit = 47; bit >= 0; bit--) {
    guess |= (uint64_t)(u->n >= (guess | 1ull << bit)) << bit;
  }
  hop();
  return *(long *)guess;
}
int main(void) {
  long a = 5;
  union U u = {&a};
  printf("%ld\n", use(&u));
}
