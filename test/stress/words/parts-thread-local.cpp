// Thread-local halves of an address.
// changes: globals
#include "words.h"

static thread_local uint32_t low, high;
static NOINLINE void put(long *p) { low = (uint32_t)(uintptr_t)p, high = (uint32_t)((uintptr_t)p >> 32); }
static NOINLINE long use(long *p) {
  put(p);
  hop();
  long n = *(long *)((uint64_t)high << 32 | low);
  low = high = 0;
  return n;
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
