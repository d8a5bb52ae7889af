// The halves of two addresses are exchanged, in memory that an argument leads to.
#include "words.h"

static NOINLINE void exchange(uint32_t *a, uint32_t *b) {
  uint32_t kept = *a;
  *a = *b;
  *b = kept;
}
union word {
  long *p;
  uint32_t half[2];
};
static NOINLINE long use(long *p) {
  long other = 6;
  union word u = {p}, v = {&other};
  exchange(&u.half[0], &v.half[0]);
  hop();
  exchange(&u.half[0], &v.half[0]);
  return *u.p * 10 + *v.p;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
