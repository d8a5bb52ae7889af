// Inline assembly that takes, changes and gives pointers and numbers, with calls before and after.
#include "hop.h"

static NOINLINE long asm_use(long *p, long n) {
  long *q, r;
  __asm__("leaq (%1,%2,8), %0" : "=r"(q) : "r"(p), "r"(n));
  hop();
  __asm__ volatile("addq %1, %0" : "+m"(*q) : "r"(n) : "cc");
  hop();
  __asm__("movq %1, %0" : "=r"(r) : "m"(p[n]));
  hop();
  __asm__("" : "+r"(p));
  return r * 10 + *p + (q - p);
}

static NOINLINE long asm_with_local(long n) {
  long box[3] = {n, n * 2, n * 3}, *p = box;
  __asm__ volatile("incq (%0)\n\taddq $8, %0" : "+r"(p) : : "memory", "cc");
  hop();
  __asm__ volatile("negq %0" : "+m"(*p) : : "cc");
  hop();
  return box[0] * 100 + box[1] * 10 + box[2] + (p - box);
}

int main(void) {
  long a[5] = {1, 2, 3, 4, 5};
  for (long n = 0; n < 5; n++)
    printf("%ld %ld\n", asm_use(a, n), asm_with_local(n));
}
