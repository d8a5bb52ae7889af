// An address is found by halving the numbers in which it lies.
#include "words.h"
static NOINLINE long find(long *p) {
  uintptr_t low = 0, high = (uintptr_t)1 << 47;
  while (high - low > 1) {
    uintptr_t middle = low + (high - low) / 2;
    hop();
    if (middle <= (uintptr_t)p)
      low = middle;
    else
      high = middle;
  }
  return *(long *)low;
}
int main(void) {
  long a = 7;
  printf("%ld\n", find(&a));
}
