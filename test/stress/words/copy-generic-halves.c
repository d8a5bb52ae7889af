// A function that copies anything copies a pointer into two halves of a word. A third one computes with them.
#include "words.h"
struct s {
  uint32_t low, high;
};
static NOINLINE void copy(void *to, const void *from, size_t n) { memcpy(to, from, n); }
static NOINLINE void put(struct s *s, long *p) { copy(s, &p, sizeof p); }
static NOINLINE void hide(struct s *s) {
  s->low ^= (uint32_t)key();
  s->high ^= 77;
}
static NOINLINE long *get(struct s *s) {
  long *p;
  copy(&p, s, sizeof p);
  return p;
}
static NOINLINE long use(long *p) {
  struct s s = {1, 0};
  put(&s, p);
  hop();
  hide(&s);
  hop();
  hide(&s);
  hop();
  return *get(&s);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
