// Sums and products of an address with a check for overflow, and with a carry.
#include "words.h"

static NOINLINE long use(long *p) {
  uint64_t sum, product;
  bool over = __builtin_add_overflow((uintptr_t)p, UINT64_C(0xffffffff00000000), &sum);
  bool too = __builtin_mul_overflow((uintptr_t)p, UINT64_C(3), &product);
  unsigned long long carry, difference = __builtin_subcll((uintptr_t)p, key(), 1, &carry);
  hop();
  long first = *(long *)(uintptr_t)(sum + UINT64_C(0x100000000)) * 10 + over;
  hop();
  first = first * 10 + *(long *)(uintptr_t)(product / 3) + too;
  return first * 10 + *(long *)(uintptr_t)(difference + key() + 1);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
