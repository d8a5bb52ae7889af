// Anything is copied to the heap, where a third function finds halves.
#include "words.h"
struct s {
  uint32_t low, high;
};
static NOINLINE void *dup(const void *from, size_t n) {
  void *to = malloc(n);
  memcpy(to, from, n);
  return to;
}
static NOINLINE void hide(struct s *s) {
  s->low ^= (uint32_t)key();
  s->high ^= 77;
}
static NOINLINE long use(long *p) {
  struct s *s = dup(&p, sizeof p);
  hop();
  hide(s);
  hop();
  hide(s);
  hop();
  long *back;
  memcpy(&back, s, sizeof back);
  free(s);
  return *back;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
