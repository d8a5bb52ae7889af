// Many addresses are copied as a whole, and a word is kept that begins in the middle of one of the copies.
#include "words.h"

#define TEN(M, n) M(n + 0) M(n + 1) M(n + 2) M(n + 3) M(n + 4) M(n + 5) M(n + 6) M(n + 7) M(n + 8) M(n + 9)
#define SET(n) cells[n] = p;

static NOINLINE int use(long *p) {
  long *cells[70], *copies[70];
  TEN(SET, 0)
  TEN(SET, 10) TEN(SET, 20) TEN(SET, 30) TEN(SET, 40) TEN(SET, 50) TEN(SET, 60) memcpy(copies, cells, sizeof copies);
  uint64_t kept;
  memcpy(&kept, (char *)&copies[60 + number()] + 4, sizeof kept);
  hop();
  return kept == ((uintptr_t)p >> 32 | (uintptr_t)p << 32);
}

int main(void) {
  long a = 5;
  printf("%d\n", use(&a));
}
