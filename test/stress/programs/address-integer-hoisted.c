// Nothing in the source is an integer address, but loop-invariant motion hoists ptrtoint(p) out of the loop.
#include "hop.h"

static NOINLINE char *next(char *q) { return hop_pointer(q + 1); }

static NOINLINE long sum(char *p) {
  long s = 0;
  for (char *q = p; *q; q = next(q))
    s += q - p;
  return s;
}

int main(void) {
  char text[] = "a pointer difference hoisted";
  printf("%ld\n", sum(text));
  printf("%ld\n", sum(text + 10));
  printf("%ld\n", sum(text + sizeof text - 1));
}
