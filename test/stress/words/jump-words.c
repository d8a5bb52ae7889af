// setjmp comes back; ambiguous words in volatile variables and in variables that did not change are still right.
// changes: globals
#include "words.h"
#include <setjmp.h>

static jmp_buf again;

static NOINLINE void jump(int n) {
  hop();
  longjmp(again, n);
}

static NOINLINE long use(long *p) {
  uintptr_t hidden = (uintptr_t)p ^ key();
  volatile uintptr_t word = (uintptr_t)p;
  volatile double real;
  memcpy((void *)&real, &p, sizeof p);
  uint32_t low = (uint32_t)(uintptr_t)p, high = (uint32_t)((uintptr_t)p >> 32);
  volatile long sum = 0;
  int n = setjmp(again);
  hop();
  long *q = (long *)word;
  sum = sum * 10 + *q + *(long *)(hidden ^ key());
  memcpy(&q, (void *)&real, sizeof q);
  sum = sum * 10 + *q + *(long *)((uintptr_t)high << 32 | low);
  if (n < 2) {
    word = (uintptr_t)p;
    jump(n + 1);
  }
  return sum;
}

int main(void) {
  long a = 2;
  printf("%ld\n", use(&a));
}
