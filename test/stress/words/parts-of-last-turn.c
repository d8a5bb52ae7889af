// A loop reads one byte of an address after the other, as a parser does, and what the last iteration has read lives
// across a call.
#include "words.h"

static NOINLINE int use(unsigned char *volatile *at, int count, long *p) {
  unsigned char *byte = *at, last = *byte;
  while (--count)
    last = *++byte;
  hop();
  return last == (unsigned char)((uintptr_t)p >> 16);
}

int main(void) {
  long a = 5, *word = &a;
  unsigned char *volatile bytes = (unsigned char *)&word;
  printf("%d\n", use(&bytes, (int)number() - 4, &a));
}
