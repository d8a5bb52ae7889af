// A pointer is copied into a struct of two halves, which another function changes.
#include "words.h"
struct message {
  uint32_t low, high;
};
static NOINLINE void put(struct message *m, long *p) { memcpy(m, &p, sizeof p); }
static NOINLINE void hide(struct message *m) { m->low ^= (uint32_t)key(), m->high ^= (uint32_t)(key() >> 32); }
static NOINLINE long *get(struct message *m) {
  long *p;
  memcpy(&p, m, sizeof p);
  return p;
}
static NOINLINE long use(long *p) {
  struct message m = {1, 0};
  put(&m, p);
  hop();
  hide(&m);
  hop();
  hide(&m);
  hop();
  return *get(&m);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
