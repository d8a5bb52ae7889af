// Many addresses lie in odd places of a local that is copied as a whole, and a byte of one of the copies is kept. All
// but the last of them lead into the program.
#include "words.h"

struct cell {
  char tag;
  long *it;
} __attribute__((packed));

static long plain;

#define TEN(M, n) M(n + 0) M(n + 1) M(n + 2) M(n + 3) M(n + 4) M(n + 5) M(n + 6) M(n + 7) M(n + 8) M(n + 9)
#define HUNDRED(M, n)                                                                                                  \
  TEN(M, n)                                                                                                            \
  TEN(M, n + 10)                                                                                                       \
  TEN(M, n + 20) TEN(M, n + 30) TEN(M, n + 40) TEN(M, n + 50) TEN(M, n + 60) TEN(M, n + 70) TEN(M, n + 80)             \
      TEN(M, n + 90)
#define SET(n) cells[n].it = &plain;

static NOINLINE int use(long *p) {
  struct cell cells[601], copies[601];
  HUNDRED(SET, 0)
  HUNDRED(SET, 100) HUNDRED(SET, 200) HUNDRED(SET, 300) HUNDRED(SET, 400) HUNDRED(SET, 500) cells[600].it = p;
  memcpy(copies, cells, sizeof copies);
  unsigned char kept = ((unsigned char *)&copies[593 + number()].it)[2];
  hop();
  return kept == (unsigned char)((uintptr_t)p >> 16);
}

int main(void) {
  long a = 5;
  printf("%d\n", use(&a));
}
