// A checksum of the address in its low bits.
#include "words.h"
static NOINLINE uint64_t sum(uintptr_t v) { return (v * 0x9e3779b97f4a7c15ull >> 57) & 15; }
static NOINLINE int use(long *p) {
  uintptr_t v = (uintptr_t)p, s = (v * 0x9e3779b97f4a7c15ull >> 57) & 15, tagged = v | s;
  hop();
  long *q = (long *)(tagged & ~15ull);
  return (int)*q * 100 + (sum((uintptr_t)q) == (tagged & 15));
}
int main(void) {
  _Alignas(16) long a = 5;
  printf("%d\n", use(&a));
}
