// Two things of any kind are exchanged by a function that nobody sees: a pointer, and a number that a third one
// changes.
#include "words.h"
struct s {
  uint64_t number;
};
static NOINLINE void exchange_any(void *a, void *b, size_t n) {
  char t[16];
  memcpy(t, a, n);
  memcpy(a, b, n);
  memcpy(b, t, n);
}
static void (*volatile exchange)(void *, void *, size_t) = exchange_any;
static NOINLINE void put(struct s *s, long *p) { exchange(&s->number, &p, sizeof p); }
static NOINLINE void hide(struct s *s) { s->number ^= key(); }
static NOINLINE long *get(struct s *s) {
  long *p = 0;
  exchange(&p, &s->number, sizeof p);
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
