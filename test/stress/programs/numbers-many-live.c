// More values live across a call than there are callee-saved registers: integers that look like small, large, negative.
#include "hop.h"

static NOINLINE unsigned long all(unsigned long s, int *p, int *q) {
  unsigned long a = s * 3, b = s ^ 0x7fffffffe000, c = s << 40, d = -s, e = s | 1ul << 46, f = ~s,
                g = s + 0x555555554000;
  int i = *p, j = *q, *r = i > j ? p : q, *t = i > j ? q : p;
  hop();
  unsigned long sum = a ^ b * 3 ^ c * 5;
  *r += (int)(a & 7);
  hop();
  sum += d * 7 ^ e * 11;
  *t -= i;
  hop();
  return (sum ^ f * 13) + g * 17 + (unsigned long)(i * j) + (unsigned long)(*r * *t);
}

int main(void) {
  int x = 4, y = 9;
  for (unsigned long s = 1; s < 1ul << 50; s *= 129)
    printf("%lx\n", all(s, &x, &y));
  printf("%d %d\n", x, y);
}
