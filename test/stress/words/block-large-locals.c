// Locals of more than 4 KiB: words, bytes and doubles beside an array of pointers.
#include "words.h"

static NOINLINE void fill(uintptr_t *words, unsigned char *bytes, double *reals, long **pointers, long *p) {
  for (int i = 0; i < 3; i++) {
    words[i * 300] = (uintptr_t)(p + i);
    words[i * 300 + 1] = -(uintptr_t)(p + i);
    pointers[i * 250] = p + i;
    memcpy(bytes + i * 3000, pointers + i * 250, sizeof p);
    memcpy(reals + i * 280, pointers + i * 250, sizeof p);
  }
}

static NOINLINE long use(long *p) {
  uintptr_t words[700];
  unsigned char bytes[7000];
  double reals[700];
  long *pointers[700];
  fill(words, bytes, reals, pointers, p);
  hop();
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    long *q, *r;
    memcpy(&q, bytes + i * 3000, sizeof q);
    memcpy(&r, reals + i * 280, sizeof r);
    sum = sum * 3 + *(long *)words[i * 300] + *(long *)-words[i * 300 + 1] + *pointers[i * 250] + *q + *r;
    hop();
  }
  return sum;
}

int main(void) {
  long a[3] = {1, 2, 3};
  hop_pointer(a);
  printf("%ld\n", use(a));
}
