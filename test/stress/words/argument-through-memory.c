// Words that are addresses are written and read through pointers to integers in a chain of functions.
#include "words.h"

static NOINLINE void set(uintptr_t *out, double *real, uint32_t *halves, long *p) {
  hop();
  *out = (uintptr_t)p;
  memcpy(real, &p, sizeof p);
  halves[0] = (uint32_t)(uintptr_t)p;
  halves[1] = (uint32_t)((uintptr_t)p >> 32);
  hop();
}

static NOINLINE long get(const uintptr_t *in, const double *real, const uint32_t *halves) {
  uintptr_t word = *in;
  double d = *real;
  uint32_t low = halves[0], high = halves[1];
  hop();
  long *p;
  memcpy(&p, &d, sizeof p);
  return *(long *)word * 100 + *p * 10 + *(long *)((uintptr_t)high << 32 | low);
}

int main(void) {
  long a = 5;
  uintptr_t word;
  double real;
  uint32_t halves[2];
  set(&word, &real, halves, &a);
  hop();
  printf("%ld\n", get(&word, &real, halves));
}
