// A pointer is copied to where a pointer to numbers leads.
#include "words.h"
static NOINLINE void put(uint64_t *to, long *p) { memcpy(to, &p, sizeof p); }
static NOINLINE void hide(uint64_t *words, long n) {
  for (long i = 0; i < n; i++)
    words[i] ^= key();
}
static NOINLINE long *get(uint64_t *from) {
  long *p;
  memcpy(&p, from, sizeof p);
  return p;
}
static NOINLINE long use(long *p) {
  uint64_t words[3] = {0};
  put(words + 1, p);
  hop();
  hide(words, 3);
  hop();
  hide(words, 3);
  hop();
  return *get(words + 1);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
