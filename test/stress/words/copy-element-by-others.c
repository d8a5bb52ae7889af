// A function that does not know what it copies puts an address into an element of an array that is declared as numbers.
#include "words.h"
static NOINLINE void *copy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
static void *(*volatile copy_it)(void *, const void *, size_t) = copy;
static NOINLINE long use(long *p) {
  uint64_t words[4] = {0};
  size_t i = (size_t)number() - 5;
  copy_it(&words[i], &p, sizeof p);
  words[i] ^= key();
  hop();
  words[i] ^= key();
  hop();
  long *back;
  copy_it(&back, &words[i], sizeof back);
  return *back;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
