// The six bytes of an address that matter are in a packed struct beside two that hold a number.
#include "words.h"

struct __attribute__((packed)) entry {
  unsigned char address[6];
  uint16_t number;
};

static NOINLINE struct entry make(long *p, int number) {
  struct entry e = {.number = (uint16_t)number};
  memcpy(e.address, &p, 6);
  return e;
}

static NOINLINE long use(struct entry *e, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    long *p = 0;
    hop();
    memcpy(&p, e[i].address, 6);
    sum = sum * 100 + *p + e[i].number;
  }
  return sum;
}

int main(void) {
  long a = 5, b = 6;
  struct entry e[] = {make(&a, 10), make(&b, 20)};
  printf("%ld\n", use(e, 2));
}
