// The upper part of an address, without 20 bits, and the lower part, by masks and shifts of constants.
#include "words.h"

static NOINLINE long use(long *p) {
  uint64_t v = (uintptr_t)p;
  uint64_t high = v & ~UINT64_C(0xfffff), low = v & 0xfffff, page = v >> 20 << 20, rest = v % 1048576,
           twelve = v - v % 4096;
  hop();
  long sum = *(long *)(uintptr_t)(high + low);
  hop();
  sum = sum * 10 + *(long *)(uintptr_t)(page + rest);
  hop();
  return sum * 10 + *(long *)(uintptr_t)(twelve + v % 4096);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
