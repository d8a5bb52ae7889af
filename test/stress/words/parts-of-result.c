// A local function returns nothing but addresses, as integers, and its result is kept in parts of words or as a double.
#include "words.h"

static NOINLINE uintptr_t number_of(long *p) { return (uintptr_t)p; }

static NOINLINE long in_parts(long *p) {
  uint16_t part[4];
  for (int i = 0; i < 4; i++)
    part[i] = (uint16_t)(number_of(p) >> 16 * i);
  hop();
  uintptr_t word = 0;
  for (int i = 0; i < 4; i++)
    word |= (uintptr_t)part[i] << 16 * i;
  return *(long *)word;
}

static NOINLINE long as_double(long *p) {
  double word = (double)number_of(p);
  hop();
  return *(long *)(uintptr_t)word;
}

int main(void) {
  long a = 5;
  printf("%ld\n", in_parts(&a) * 10 + as_double(&a));
}
