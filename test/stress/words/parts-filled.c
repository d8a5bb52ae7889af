// The bytes of an address are spread by memset, with a length that is known at run time only.
#include "words.h"

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static NOINLINE long use(long *p, UNUSED long *q) {
  unsigned char kept[32];
  uintptr_t v = (uintptr_t)p;
  for (int i = 0; i < 8; i++)
    memset(kept + 4 * i, (int)(v >> 8 * i), 1 + (size_t)(number() & 3));
  hop();
  uintptr_t again = 0;
  for (int i = 0; i < 8; i++)
    again |= (uintptr_t)kept[4 * i + 1] << 8 * i;
  return *address(again);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
