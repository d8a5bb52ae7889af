// Two atomic halves of an address.
#include "words.h"

#include <stdatomic.h>
static NOINLINE void put(atomic_uint *low, atomic_uint *high, long *p) {
  atomic_store(low, (unsigned)(uintptr_t)p);
  atomic_exchange(high, (unsigned)((uintptr_t)p >> 32));
}
static NOINLINE long use(long *p) {
  atomic_uint low, high;
  put(&low, &high, p);
  hop();
  uint64_t h = atomic_load(&high);
  return *(long *)(h << 32 | atomic_load(&low));
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
