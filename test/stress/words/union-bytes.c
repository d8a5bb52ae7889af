// A union of a pointer and bytes: the bytes are turned around, and back after a call.
#include "words.h"

union word {
  long *pointer;
  unsigned char bytes[8];
};

static NOINLINE void turn(union word *u) {
  for (int i = 0; i < 4; i++) {
    unsigned char kept = u->bytes[i];
    u->bytes[i] = u->bytes[7 - i];
    u->bytes[7 - i] = kept;
  }
}

static NOINLINE long keep(long *p) {
  union word u = {p};
  turn(&u);
  hop();
  turn(&u);
  return *u.pointer;
}

int main(void) {
  long a = 5;
  printf("%ld\n", keep(&a));
}
