// The rounded square root of an address, and what is left.
#include "words.h"
#include <math.h>
static NOINLINE long use(long *p) {
  double r = floor(sqrt((double)(uintptr_t)p));
  uint64_t root = (uint64_t)r, rest = (uintptr_t)p - root * root;
  hop();
  return *(long *)(root * root + rest);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
