// A key comes to an address where it lies, by atomic operations.
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long use(long *p, long *q) {
  uintptr_t v = (uintptr_t)p, w = (uintptr_t)q;
  __atomic_fetch_xor(&v, key(), __ATOMIC_SEQ_CST);
  __atomic_fetch_sub(&w, key(), __ATOMIC_SEQ_CST);
  hop();
  __atomic_fetch_xor(&v, key(), __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&w, key(), __ATOMIC_SEQ_CST);
  return *address(v) * 10 + *address(w);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
