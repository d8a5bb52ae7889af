// Constants of the program contain addresses of the program plus numbers, small and large.
#include "words.h"

static long target = 5;
static long other[4] = {6, 7, 8, 9};
static uintptr_t near = (uintptr_t)&target + 1, far = (uintptr_t)&target + 0x100000000,
                 before = (uintptr_t)other - 0x7000000000;
static const uintptr_t table[] = {(uintptr_t)other + 24, (uintptr_t)&target + 0x1000000000000};

static NOINLINE long use(const uintptr_t *volatile *at) {
  uintptr_t a = near, b = far, c = before, d = (*at)[0], e = (*at)[1];
  hop();
  long sum = *(long *)(a - 1) * 10 + *(long *)(b - 0x100000000);
  hop();
  sum = sum * 10 + *(long *)(c + 0x7000000000);
  sum = sum * 10 + *(long *)d;
  return sum * 100 + *(long *)(e - 0x1000000000000) + (a == near) + (b == far) + (e == table[1]);
}

int main(void) {
  const uintptr_t *volatile at = table;
  printf("%ld\n", use(&at));
}
