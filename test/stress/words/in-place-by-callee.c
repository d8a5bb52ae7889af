// Another function writes the tag, which is the highest byte of a pointer.
#include "words.h"

union tagged {
  long *p;
  struct {
    unsigned char low[7], tag;
  } t;
};

static NOINLINE void tag(union tagged *u, int n) { u->t.tag = n; }

static NOINLINE long use(long *p, long *q) {
  union tagged u = {p}, v = {q};
  tag(&u, number());
  tag(&v, number() + 1);
  hop_pointer(&u);
  tag(&u, 0);
  tag(&v, 0);
  return *u.p * 10 + *v.p;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
