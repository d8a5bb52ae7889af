// A checksum of an address's bytes is kept over a longjmp.
#include "words.h"

#include <setjmp.h>
static jmp_buf back;
static NOINLINE unsigned sum(const void *at, int n) {
  const unsigned char *b = at;
  unsigned s = 1;
  while (n--)
    s = s * 31 + *b++;
  return s;
}
static NOINLINE long use(long *p) {
  volatile unsigned kept = sum(&p, sizeof p);
  if (setjmp(back) == 0) {
    hop();
    longjmp(back, 1);
  }
  hop();
  return kept != sum(&p, sizeof p);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
