// A vector of 64 bytes holds eight addresses, hidden; lanes are taken by an index of run time.
#include "words.h"

typedef unsigned long eight __attribute__((vector_size(64)));

static NOINLINE long use(long *p) {
  long own[8];
  eight v;
  for (int i = 0; i < 8; i++) {
    own[i] = *p + i;
    v[i] = (uintptr_t)(own + i);
  }
  hop_pointer(own);
  eight hidden = v * 3 + key();
  hop();
  long sum = 0;
  for (int i = 0; i < 8; i++)
    sum = sum * 10 + *(long *)v[(i * 5) % 8];
  hop();
  hidden -= key();
  return sum + *(long *)(hidden[number()] / 3);
}

int main(void) {
  long a = 1;
  printf("%ld\n", use(&a));
}
