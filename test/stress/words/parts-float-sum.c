// An address is added up of three doubles, each exact.
#include "words.h"

static NOINLINE long use(long *p) {
  uint64_t v = (uintptr_t)p;
  double a = (double)(v & 0xffff), b = (double)(v >> 16 & 0xffff), c = (double)(v >> 32);
  hop();
  return *(long *)((uint64_t)a + (uint64_t)b * 65536 + (uint64_t)c * 4294967296u);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
