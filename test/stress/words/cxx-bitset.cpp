// Bits of an address in std::bitset, turned.
#include "words.h"
#include <bitset>
static NOINLINE long use(long *p) {
  std::bitset<64> b((uintptr_t)p);
  b = ~b;
  std::bitset<128> wide((uintptr_t)p);
  wide <<= 50;
  hop();
  return *(long *)(~b).to_ulong() + *(long *)(wide >> 50).to_ulong();
}
int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
