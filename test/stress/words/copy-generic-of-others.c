// A function that the compiler does not see copies a pointer into a member that is a number.
#include "words.h"
struct s {
  uint64_t number;
};
static NOINLINE void copy_(void *to, const void *from, size_t n) { memcpy(to, from, n); }
static void (*volatile copy)(void *, const void *, size_t) = copy_;
static NOINLINE void put(struct s *s, long *p) { copy(&s->number, &p, sizeof p); }
static NOINLINE void hide(struct s *s) { s->number ^= key(); }
static NOINLINE long *get(struct s *s) {
  long *p;
  copy(&p, &s->number, sizeof p);
  return p;
}
static NOINLINE long use(long *p) {
  struct s s = {1};
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
