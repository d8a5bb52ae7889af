// Low and high halves of addresses are in arrays of their own.
#include "words.h"

static NOINLINE long keep(long **p, int count) {
  uint32_t low[4], high[4];
  for (int i = 0; i < count; i++) {
    low[i] = (uint32_t)(uintptr_t)p[i];
    high[i] = (uint32_t)((uintptr_t)p[i] >> 32);
  }
  hop();
  long sum = 0;
  for (int i = 0; i < count; i++)
    sum = sum * 10 + *(long *)((uintptr_t)high[i] << 32 | low[i]);
  return sum;
}

int main(void) {
  long a = 5, b = 6, c = 7;
  long *p[] = {&a, &b, &c};
  hop_pointer(p);
  printf("%ld\n", keep(p, 3));
}
