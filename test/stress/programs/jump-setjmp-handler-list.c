// Exceptions by hand: a list of handlers in frames, each with its jmp_buf; frames that do not catch lie between.
#include "hop.h"
#include <setjmp.h>

struct handler {
  struct handler *outer;
  jmp_buf at;
};

static NOINLINE void raise_error(struct handler *h, int code) {
  hop();
  longjmp(h->at, code);
}

static NOINLINE int work(struct handler *h, int n) {
  int local = n, *p = &local;
  hop();
  if (n % 4 == 3)
    raise_error(h, n);
  int r = n ? work(h, n - 1) : 100;
  return r + *p;
}

static NOINLINE int guarded(struct handler *outer, int n) {
  struct handler h;
  h.outer = outer;
  int code = setjmp(h.at);
  if (code) {
    hop();
    if (outer && code > 6)
      raise_error(outer, code - 4);
    return -code;
  }
  if (!outer && n > 4)
    return guarded(&h, n) * 2;
  return work(&h, n);
}

int main(void) {
  for (int n = 0; n < 12; n++)
    printf("%d\n", guarded(NULL, n));
}
