// An address in the middle of 128 bits, shifted by 36.
#include "words.h"

static NOINLINE long use(long *p) {
  unsigned __int128 v = (unsigned __int128)(uintptr_t)p << 36 | 0x123456789;
  hop();
  uint64_t low = (uint64_t)v, high = (uint64_t)(v >> 64);
  hop();
  v = (unsigned __int128)high << 64 | low;
  return *(long *)(uintptr_t)(v >> 36);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
