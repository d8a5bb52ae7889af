// A byte of one of two addresses is kept across a call, while both words are changed.
#include "words.h"

static NOINLINE int use(unsigned char *volatile *at, unsigned char *volatile *other, long *p) {
  unsigned char *bytes = *at, *more = *other;
  unsigned char kept = number() > 2 ? bytes[2] : more[3];
  bytes[2] = more[3] = 0;
  hop();
  return kept == (unsigned char)((uintptr_t)p >> 16);
}

int main(void) {
  long a = 5, *first = &a, *second = &a;
  unsigned char *volatile x = (unsigned char *)&first, *volatile y = (unsigned char *)&second;
  printf("%d\n", use(&x, &y, &a));
}
