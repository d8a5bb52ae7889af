// A tagged address in a block of the heap.
// changes: process
#include "words.h"

static NOINLINE void mark(long **kept, uint16_t t) { memcpy((char *)kept + 6, &t, 2); }

static NOINLINE void keep(long ***to, long *p) {
  *to = (long **)malloc(sizeof **to);
  **to = p;
}

static NOINLINE long use(long *p) {
  long **kept;
  keep(&kept, p);
  mark(kept, 0x1234);
  hop();
  mark(kept, 0);
  hop();
  long r = **kept;
  free(kept);
  return r;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
