// Pointers in an array are loaded as vectors of integers, as hand-written copies do, kept over a call and stored.
#include "words.h"

typedef long long pair __attribute__((vector_size(16), aligned(8), may_alias));

static NOINLINE void copy(long **to, long **from) {
  pair a = *(pair *)from, b = *(pair *)(from + 2);
  hop();
  *(pair *)to = b;
  *(pair *)(to + 2) = a;
}

int main(void) {
  long v[] = {1, 2, 3, 4};
  hop_pointer(v);
  long *from[] = {v, v + 1, v + 2, v + 3}, *to[4];
  hop_pointer(from);
  copy(to, from);
  long sum = 0;
  for (int i = 0; i < 4; i++)
    sum = sum * 10 + *to[i];
  printf("%ld\n", sum);
}
