// Four numbers of 16 bits hold an address.
#include "words.h"

static NOINLINE long keep(long *p) {
  uint16_t part[4];
  for (int i = 0; i < 4; i++)
    part[i] = (uint16_t)((uintptr_t)p >> 16 * i);
  hop();
  uintptr_t v = 0;
  for (int i = 0; i < 4; i++)
    v |= (uintptr_t)part[i] << 16 * i;
  return *(long *)v;
}

int main(void) {
  long a = 5;
  printf("%ld\n", keep(&a));
}
