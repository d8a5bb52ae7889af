// Two words, one an address and one a number, change places in a loop, in variables, by pointers and by exclusive or.
#include "words.h"

static NOINLINE void swap(uintptr_t *a, uintptr_t *b) {
  *a ^= *b;
  hop();
  *b ^= *a;
  hop();
  *a ^= *b;
}

static NOINLINE long use(long *p, int times) {
  uintptr_t a = (uintptr_t)p, b = 3;
  long sum = 0;
  for (int i = 0; i < times; i++) {
    swap(&a, &b);
    hop();
    uintptr_t kept = a;
    a = b;
    b = kept;
    sum = sum * 10 + *(long *)a + (long)b;
  }
  return sum;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a, 3));
}
