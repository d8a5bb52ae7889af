// A packed struct has an integer that is an address at an odd offset.
#include "words.h"

struct __attribute__((packed)) entry {
  char kind;
  uintptr_t word;
  short number;
};

static NOINLINE long use(struct entry *e, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    hop();
    sum = sum * 100 + (e[i].kind == 'p' ? *(long *)e[i].word : (long)e[i].word) + e[i].number;
  }
  return sum;
}

int main(void) {
  long a = 5;
  struct entry e[] = {{'p', (uintptr_t)&a, 10}, {'n', 7, 20}};
  printf("%ld\n", use(e, 2));
}
