// __int128 that hold addresses are passed to and returned by functions that the compiler does not see.
#include "words.h"

static NOINLINE unsigned __int128 join(long *p, long *q) {
  return (unsigned __int128)(uintptr_t)p << 64 | (uintptr_t)q;
}
static NOINLINE long *high(unsigned __int128 v) { return (long *)(uintptr_t)(v >> 64); }
static unsigned __int128 (*volatile join_it)(long *, long *) = join;
static long *(*volatile high_of)(unsigned __int128) = high;

static NOINLINE long use(long *p, long *q) {
  unsigned __int128 both = join_it(p, q);
  hop();
  long *first = high_of(both);
  hop();
  return *first * 10 + *(long *)(uintptr_t)both;
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
