// Many addresses lie in odd places of a local that is copied as a whole, and a byte of one of the copies is kept. All
// but the last of them lead into the program.
#include "words.h"

struct cell {
  char tag;
  long *it;
} __attribute__((packed));

static long plain;

#define SET(n) cells[n].it = &plain;
#define FIVE(n) SET(n) SET(n + 1) SET(n + 2) SET(n + 3) SET(n + 4)
#define TWENTY(n) FIVE(n) FIVE(n + 5) FIVE(n + 10) FIVE(n + 15)
#define HUNDRED(n) TWENTY(n) TWENTY(n + 20) TWENTY(n + 40) TWENTY(n + 60) TWENTY(n + 80)

static NOINLINE int use(long *p) {
  struct cell cells[601], copies[601];
  HUNDRED(0);
  HUNDRED(100);
  HUNDRED(200);
  HUNDRED(300);
  HUNDRED(400);
  HUNDRED(500);
  cells[600].it = p;
  memcpy(copies, cells, sizeof copies);
  unsigned char kept = ((unsigned char *)&copies[593 + number()].it)[2];
  hop();
  return kept == (unsigned char)((uintptr_t)p >> 16);
}

int main(void) {
  long a = 5;
  printf("%d\n", use(&a));
}
