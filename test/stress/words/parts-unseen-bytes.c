// A function that is called through a pointer reverses the bytes of an address in place.
#include "words.h"

static NOINLINE void turn(unsigned char *b, int n) {
  for (int i = 0; i < n / 2; i++) {
    unsigned char kept = b[i];
    b[i] = b[n - 1 - i];
    b[n - 1 - i] = kept;
  }
}
static void (*volatile turn_somewhere)(unsigned char *, int) = turn;
static NOINLINE long use(long *p) {
  turn_somewhere((unsigned char *)&p, 8);
  hop();
  turn_somewhere((unsigned char *)&p, 8);
  return *p;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
