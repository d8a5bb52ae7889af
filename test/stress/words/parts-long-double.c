// The mantissa of an x87 number is an address, and another is its value.
#include "words.h"

static NOINLINE long use(long *p) {
  long double bits = 1, value = (long double)(uintptr_t)p;
  memcpy(&bits, &p, sizeof p);
  hop();
  long *back;
  memcpy(&back, &bits, sizeof back);
  return *back * 10 + *(long *)(uintptr_t)value;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
