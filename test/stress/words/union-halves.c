// A union of a pointer and two halves of 32 bits, kept apart.
#include "words.h"

union word {
  long *pointer;
  uint32_t half[2];
};

static NOINLINE long keep(long *p) {
  uint32_t low = (union word){p}.half[0], high = (union word){p}.half[1];
  hop();
  union word back;
  back.half[1] = high;
  back.half[0] = low;
  hop();
  return *back.pointer;
}

int main(void) {
  long a = 5;
  printf("%ld\n", keep(&a));
}
