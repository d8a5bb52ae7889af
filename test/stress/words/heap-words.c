// Blocks of the heap hold addresses of the stack: as words, hidden, in bytes, as doubles.
#include "words.h"

struct record {
  uintptr_t plain, hidden;
  double real;
  unsigned char bytes[16];
  uint32_t half[2];
};

static NOINLINE struct record *make(long *p) {
  struct record *r = malloc(sizeof *r);
  r->plain = (uintptr_t)p;
  r->hidden = (uintptr_t)p * 3;
  r->real = (double)(uintptr_t)p;
  memcpy(r->bytes + 3, &p, sizeof p);
  r->half[0] = (uint32_t)(uintptr_t)p;
  r->half[1] = (uint32_t)((uintptr_t)p >> 32);
  return r;
}

static NOINLINE long use(long *p) {
  struct record *r = make(p);
  hop();
  long *q;
  memcpy(&q, r->bytes + 3, sizeof q);
  long sum = *(long *)r->plain + *(long *)(r->hidden / 3) + *(long *)(uintptr_t)r->real + *q;
  hop();
  sum = sum * 10 + *(long *)((uintptr_t)r->half[1] << 32 | r->half[0]);
  free(r);
  return sum;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
