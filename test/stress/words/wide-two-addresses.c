// __int128 with two addresses, and one that is hidden.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  unsigned __int128 both = (unsigned __int128)(uintptr_t)p << 64 | (uintptr_t)q;
  unsigned __int128 hidden = both ^ ((unsigned __int128)key() << 64 | key());
  hop();
  long sum = *(long *)(uintptr_t)(both >> 64) * 10 + *(long *)(uintptr_t)both;
  hop();
  hidden ^= (unsigned __int128)key() << 64 | key();
  return sum * 10 + (hidden == both) + *(long *)(uintptr_t)(hidden >> 64);
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
