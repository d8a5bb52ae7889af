// Blocks of variable size hold words that are addresses, plain and hidden, beside pointers.
#include "words.h"

static NOINLINE long use(long *p, int count) {
  uintptr_t plain[count], hidden[count];
  long *pointers[count];
  double reals[count];
  for (int i = 0; i < count; i++) {
    plain[i] = (uintptr_t)(p + i);
    hidden[i] = (uintptr_t)(p + i) ^ key();
    pointers[i] = p + i;
    memcpy(reals + i, pointers + i, sizeof p);
  }
  hop();
  long sum = 0;
  for (int i = 0; i < count; i++) {
    long *q;
    memcpy(&q, reals + i, sizeof q);
    sum = sum * 3 + *(long *)plain[i] + *(long *)(hidden[i] ^ key()) + *pointers[i] + *q;
    hop();
  }
  return sum;
}

int main(void) {
  long a[3] = {1, 2, 3};
  hop_pointer(a);
  printf("%ld\n", use(a, (int)number() - 4));
}
