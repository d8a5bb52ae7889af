// Volatile halves, read again and again.
#include "words.h"

static NOINLINE long use(long *p) {
  volatile uint32_t low = (uint32_t)(uintptr_t)p, high = (uintptr_t)p >> 32;
  long s = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    s = s * 10 + *(long *)((uint64_t)high << 32 | low);
  }
  return s;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
