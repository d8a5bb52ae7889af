// Quotient and remainder of an address.
#include "words.h"
static NOINLINE long use(long *p) {
  lldiv_t d = lldiv((long long)(intptr_t)p, 1000003);
  hop();
  return *(long *)(d.quot * 1000003 + d.rem);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
