// initstate keeps a local array as the state of random(); setstate gives it back.
// refused: library, global
#include "hop.h"
#include <stdlib.h>

static NOINLINE long draw(void) {
  char state[64];
  char *before = initstate(7, state, sizeof state);
  long sum = 0;
  for (int i = 0; i < 20; i++) {
    hop();
    sum = (sum * 3 + random()) % 1000003;
  }
  setstate(before);
  return sum;
}

int main(void) {
  printf("%ld\n", draw());
  hop();
  printf("%ld\n", draw());
}
