// flags: -fno-builtin
// The library returns the number it was given, which then is hashed.
#include "words.h"
static NOINLINE long use(long *p) {
  uint64_t v = labs((long)p);
  v = v << 9 | v >> 55;
  hop();
  v = v >> 9 | v << 55;
  return *(long *)v;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
