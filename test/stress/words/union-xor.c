// A union of a pointer and an integer: written as the one, hidden as the other, read as the first.
#include "words.h"

union word {
  long *pointer;
  uintptr_t number;
};

static NOINLINE long keep(union word u) {
  u.number ^= key();
  hop();
  u.number ^= key();
  hop();
  return *u.pointer;
}

int main(void) {
  long a = 5;
  printf("%ld\n", keep((union word){&a}));
}
