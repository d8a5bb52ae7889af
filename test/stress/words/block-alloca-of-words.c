// Memory from alloca holds records of words and pointers that are made by hand.
#include "words.h"

static NOINLINE long use(long *p, int count) {
  unsigned char *room = __builtin_alloca((size_t)count * 24);
  for (int i = 0; i < count; i++) {
    uintptr_t v = ~(uintptr_t)(p + i);
    long *q = p + i;
    memcpy(room + 24 * i, &v, 8);
    memcpy(room + 24 * i + 8, &q, 8);
    memcpy(room + 24 * i + 17, &q, 7);
  }
  hop();
  long sum = 0;
  for (int i = 0; i < count; i++) {
    uintptr_t v;
    long *q, *r = 0;
    memcpy(&v, room + 24 * i, 8);
    memcpy(&q, room + 24 * i + 8, 8);
    memcpy(&r, room + 24 * i + 17, 7);
    sum = sum * 3 + *(long *)~v + *q + *r;
    hop();
  }
  return sum;
}

int main(void) {
  long a[3] = {1, 2, 3};
  hop_pointer(a);
  printf("%ld\n", use(a, (int)number() - 4));
}
