// A pointer is copied into an array of two halves, which its owner has another function change.
#include "words.h"
static NOINLINE void hide(uint32_t *m) { m[0] ^= (uint32_t)key(), m[1] ^= (uint32_t)(key() >> 32); }
static NOINLINE long *get(uint32_t *m) {
  long *p;
  memcpy(&p, m, sizeof p);
  return p;
}
static NOINLINE long use(long *p) {
  uint32_t m[2];
  memcpy(m, &p, sizeof p);
  hop();
  hide(m);
  hop();
  hide(m);
  hop();
  return *get(m);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
