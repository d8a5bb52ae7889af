// The seventh and further arguments lie in memory: words that are addresses, bytes, halves, doubles.
#include "words.h"

static NOINLINE long take(long a, long b, long c, long d, long e, long f, uintptr_t plain, uint64_t hidden,
                          uint32_t low, uint32_t high, double r0, double r1, double r2, double r3, double r4, double r5,
                          double r6, double r7, double real) {
  hop();
  long sum = *(long *)plain * 10 + *(long *)(hidden ^ key());
  hop();
  sum = sum * 10 + *(long *)((uintptr_t)high << 32 | low);
  hop();
  long *p;
  memcpy(&p, &real, sizeof p);
  return sum * 10 + *p + a + b + c + d + e + f + (long)(r0 + r1 + r2 + r3 + r4 + r5 + r6 + r7);
}
static long (*volatile taker)(long, long, long, long, long, long, uintptr_t, uint64_t, uint32_t, uint32_t, double,
                              double, double, double, double, double, double, double, double) = take;

static NOINLINE long use(long *p) {
  double real;
  memcpy(&real, &p, sizeof real);
  uintptr_t v = (uintptr_t)p;
  return taker(1, 2, 3, 4, 5, 6, v, v ^ key(), (uint32_t)v, (uint32_t)(v >> 32), 0, 1, 2, 3, 4, 5, 6, 7, real);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
