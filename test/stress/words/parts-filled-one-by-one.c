// The bytes of an address are written by memset, one by one.
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long use(long *p, UNUSED long *q) {
  unsigned char kept[8];
  for (int i = 0; i < 8; i++)
    memset(kept + i, (int)((uintptr_t)p >> 8 * i) ^ 1, 1);
  hop();
  uintptr_t again = 0;
  for (int i = 0; i < 8; i++)
    again |= (uintptr_t)(kept[i] ^ 1) << 8 * i;
  return *address(again);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
