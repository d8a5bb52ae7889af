// A tag is put into the high bytes of a pointer by an atomic store of two bytes.
#include "words.h"

static NOINLINE long use(long *p, UNUSED long *q) {
  long *v = p;
  __atomic_store_n((unsigned short *)(void *)((char *)&v + 6), (unsigned short)number(), __ATOMIC_SEQ_CST);
  hop();
  __atomic_fetch_and((unsigned char *)&v + 6, 0, __ATOMIC_SEQ_CST);
  __atomic_exchange_n((unsigned char *)&v + 7, 0, __ATOMIC_SEQ_CST);
  return *v;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
