// A function returns a union of a pointer and two halves.
#include "words.h"

union word {
  long *p;
  uint32_t half[2];
  float part[2];
};
static NOINLINE union word make(long *p) {
  union word u = {p};
  uint32_t low = u.half[0];
  u.half[0] = u.half[1];
  u.half[1] = low;
  return u;
}
static union word (*volatile make_somewhere)(long *) = make;
static NOINLINE long use(long *p) {
  union word u = make_somewhere(p);
  hop();
  float low = u.part[1], high = u.part[0];
  hop();
  u.part[0] = low, u.part[1] = high;
  return *u.p;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
