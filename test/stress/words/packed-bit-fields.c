// 48 bits of a bit-field hold an address, 16 a number.
#include "words.h"

struct entry {
  uint64_t address : 48, number : 16;
};

static NOINLINE long use(struct entry *e, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    struct entry mine = e[i];
    hop();
    sum = sum * 100 + *(long *)(uintptr_t)mine.address + mine.number;
  }
  return sum;
}

int main(void) {
  long a = 5, b = 6;
  struct entry e[] = {{(uintptr_t)&a, 10}, {(uintptr_t)&b, 20}};
  printf("%ld\n", use(e, 2));
}
