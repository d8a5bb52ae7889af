// A union of pointer and integer passed and returned by value: the calling convention carries it as an integer.
#include "hop.h"

union value {
  int *p;
  long n;
};
struct tagged {
  int is_pointer;
  union value v;
};

static NOINLINE union value choose(union value a, union value b, int first) {
  hop();
  union value c = first ? a : b;
  hop();
  return c;
}

static NOINLINE struct tagged wrap(union value v, int is_pointer) {
  hop();
  return (struct tagged){is_pointer, v};
}

static NOINLINE long read(struct tagged t) {
  hop();
  return t.is_pointer ? *t.v.p : t.v.n;
}

int main(void) {
  int x = 77;
  union value a = {.p = &x}, b = {.n = 88};
  for (int i = 0; i < 2; i++) {
    struct tagged t = wrap(choose(a, b, i), i);
    hop();
    printf("%ld\n", read(t));
  }
}
