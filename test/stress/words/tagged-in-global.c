// A tagged address in a variable of the program.
// changes: globals
#include "words.h"

static long *kept;
static NOINLINE void mark(uint16_t t) { memcpy((char *)&kept + 6, &t, 2); }

static NOINLINE long use(long *p) {
  kept = p;
  mark(0x1234);
  hop();
  mark(0);
  hop();
  long r = *kept;
  kept = 0;
  hop();
  return r;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
