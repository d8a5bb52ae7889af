// The halves of an address are the bits of two floats.
#include "words.h"

static NOINLINE long use(long *p) {
  float part[2];
  memcpy(part, &p, sizeof p);
  float low = part[0], high = part[1];
  hop();
  float together[2] = {low, high};
  long *back;
  memcpy(&back, together, sizeof back);
  return *back;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
