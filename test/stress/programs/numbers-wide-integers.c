// __int128 across calls, in pairs of registers, by pointer, and in structs with pointers.
#include "hop.h"

typedef unsigned __int128 wide;
struct accumulator {
  wide sum;
  wide *product;
};

static NOINLINE wide power(wide base, int n, wide *steps) {
  wide r = 1;
  while (n) {
    if (n & 1)
      r *= base;
    hop();
    base *= base;
    n >>= 1;
    ++*steps;
  }
  return r;
}

static void show(wide n) { printf("%016lx%016lx ", (unsigned long)(n >> 64), (unsigned long)n); }

int main(void) {
  wide product = 1;
  struct accumulator a = {0, &product};
  for (int i = 1; i < 8; i++) {
    wide steps = 0;
    wide p = power((wide)i << 20 | 7, i * 3, &steps);
    hop();
    a.sum += p;
    *a.product = *a.product * 3 + steps;
    hop();
    show(a.sum);
    show(product);
    printf("\n");
  }
}
