// The byte of an address that lives across the last call was read in the last iteration but one, and something else has
// been stored in its place since.
#include "words.h"

static NOINLINE int use(unsigned char *volatile *at, int count, long *p) {
  unsigned char *byte = *at, before = 1, last = 2;
  for (int i = 0; i < count; i++) {
    before = last;
    last = byte[i];
    byte[i] = 7;
    if (number() < 0)
      hop();
  }
  hop();
  return before == (unsigned char)((uintptr_t)p >> 16);
}

int main(void) {
  long a = 5, *word = &a;
  unsigned char *volatile bytes = (unsigned char *)&word;
  printf("%d\n", use(&bytes, (int)number() - 3, &a));
}
