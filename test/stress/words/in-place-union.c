// The tag of a union is the highest byte of the pointer in it.
#include "words.h"

union tagged {
  long *p;
  struct {
    unsigned char low[7], tag;
  } t;
};

static NOINLINE long use(long *p, long *q) {
  union tagged u[2] = {{p}, {q}};
  u[0].t.tag = number();
  u[1].t.tag = number() + 1;
  hop_pointer(u);
  long r = u[0].t.tag * 10 + u[1].t.tag;
  u[0].t.tag = u[1].t.tag = 0;
  return r * 100 + *u[0].p * 10 + *u[1].p;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
