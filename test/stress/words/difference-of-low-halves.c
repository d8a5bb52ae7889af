// The low 32 bits of the distance between a local and a global.
#include "words.h"
static long global = 7;
static NOINLINE unsigned distance(long *p) { return (uint32_t)(uintptr_t)p - (uint32_t)(uintptr_t)&global; }
static NOINLINE int use(long *p) {
  unsigned before = (uint32_t)(uintptr_t)p - (uint32_t)(uintptr_t)&global;
  hop();
  return before == distance(p);
}
int main(void) {
  long a = 5;
  printf("%d\n", use(&a));
}
