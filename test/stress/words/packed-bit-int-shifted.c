// An address in _BitInt(200) and _BitInt(48), shifted and turned.
#include "words.h"
typedef unsigned _BitInt(200) wide;
typedef unsigned _BitInt(48) small;
static NOINLINE wide put(long *p) { return (wide)(uintptr_t)p << 77 | (wide)1; }
static NOINLINE long use(long *p) {
  wide w = put(p), both[2] = {w * 3, ~w};
  small s = (small)(uintptr_t)p * 5;
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    sum +=
        *(long *)(uintptr_t)(w >> 77) + *(long *)(uintptr_t)(both[0] / 3 >> 77) + *(long *)(uintptr_t)(~both[1] >> 77);
    sum += s == (small)((small)(uintptr_t)p * 5);
  }
  return sum;
}
int main(void) {
  long a = 5;
  hop_pointer(&a);
  printf("%ld\n", use(&a));
}
