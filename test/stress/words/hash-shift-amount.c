// Bits that the hash of an address selects.
#include "words.h"
static NOINLINE uint64_t bit(void *p) { return UINT64_C(1) << ((uintptr_t)p >> 16 & 63); }
int main(void) {
  long a = 7;
  uint64_t f = bit(&a);
  hop();
  printf("%d\n", (f & bit(&a)) != 0);
  uint64_t g = UINT64_C(1) << ((uintptr_t)&a >> 16 & 63);
  hop();
  hop();
  printf("%d\n", (g & UINT64_C(1) << ((uintptr_t)&a >> 16 & 63)) != 0);
}
