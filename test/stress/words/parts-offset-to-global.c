// The distance of a local from a global is kept as 32 bits and as 64.
#include "words.h"

static long base;
static NOINLINE long use(long *p) {
  int64_t far = (int64_t)((uintptr_t)p - (uintptr_t)&base);
  uint32_t low = (uint32_t)far;
  int32_t high = (int32_t)(far >> 32);
  hop();
  return *(long *)((uintptr_t)&base + (uint64_t)((int64_t)high << 32 | low));
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
