// Pointers with a tag in the low bits, kept as integers in a local array across calls.
// refused (O0): number
// refused (not O0): ambiguous
#include "hop.h"

static NOINLINE uintptr_t tag(long *p, unsigned bits) { return (uintptr_t)p | bits; }

static NOINLINE long total(uintptr_t *tagged, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    uintptr_t t = tagged[i];
    hop();
    long value = *(long *)(t & ~(uintptr_t)7);
    hop();
    switch (t & 7) {
    case 0:
      sum += value;
      break;
    case 1:
      sum -= value;
      break;
    case 2:
      sum *= value;
      break;
    default:
      sum ^= value;
    }
  }
  return sum;
}

int main(void) {
  long a[6] = {10, 3, 4, 99, 5, 6};
  uintptr_t t[6];
  for (int i = 0; i < 6; i++)
    t[i] = tag(a + i, (unsigned)i & 3);
  printf("%ld\n", total(t, 6));
}
