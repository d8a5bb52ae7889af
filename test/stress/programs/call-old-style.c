/* K&R definitions and unprototyped calls, with default promotions and pointers to locals. */
#include "hop.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
#endif

static NOINLINE long add(p, c, f, q)
int *p;
char c;
float f;
long *q;
{
  hop();
  *q += *p * c;
  hop();
  return *q + (long)(f * 2);
}

static long (*volatile old)();

int main(void) {
  int n = 5;
  long sum = 100;
  char c = 3;
  float f = 1.5f;
  old = add;
  for (int i = 0; i < 4; i++) {
    printf("%ld", add(&n, c, f, &sum));
    printf(" %ld\n", old(&n, c, f, &sum));
    n += 2;
  }
}
