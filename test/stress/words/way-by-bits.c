// An address is copied without computing it: for each of its bits the program takes a way.
#include "words.h"
static NOINLINE uintptr_t bits(long *p) {
  uintptr_t n = 0;
  for (int i = 0; i < 48; i++) {
    if ((uintptr_t)p >> i & 1)
      n |= (uintptr_t)1 << i;
    hop();
  }
  return n;
}
int main(void) {
  long a = 7;
  printf("%ld\n", *(long *)bits(&a));
}
