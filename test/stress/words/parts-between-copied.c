// Addresses are copied as a whole, and a word is kept that begins in the middle of one of the copies.
#include "words.h"

static NOINLINE int use(long *p) {
  long *cells[4] = {p, p, p, p}, *copies[4];
  memcpy(copies, cells, sizeof copies);
  uint64_t kept;
  memcpy(&kept, (char *)&copies[number() - 6] + 4, sizeof kept);
  hop();
  return kept == ((uintptr_t)p >> 32 | (uintptr_t)p << 32);
}

int main(void) {
  long a = 5;
  printf("%d\n", use(&a));
}
