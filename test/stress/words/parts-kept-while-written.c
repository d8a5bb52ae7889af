// A byte of an address is kept across a call, while what it was read from is overwritten before it.
#include "words.h"

static NOINLINE int use(unsigned char *volatile *at, long *p) {
  unsigned char *bytes = *at;
  unsigned char kept = bytes[2];
  memset(bytes, 0, 8);
  hop();
  return kept == (unsigned char)((uintptr_t)p >> 16);
}

int main(void) {
  long a = 5, *word = &a;
  unsigned char *volatile bytes = (unsigned char *)&word;
  printf("%d\n", use(&bytes, &a));
}
