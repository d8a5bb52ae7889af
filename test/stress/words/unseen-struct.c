// Structs with words that are addresses go by value to another unit and come back.
#include "words.h"

struct two {
  uintptr_t word;
  long number;
};
struct many {
  unsigned char bytes[16];
  union {
    long *pointer;
    double real;
  } u;
  uint64_t hidden;
};

struct two words_two(struct two t);
struct many words_many(struct many m);

static NOINLINE long use(long *p) {
  struct two t = words_two((struct two){(uintptr_t)p, 7});
  struct many m = {.u.pointer = p, .hidden = (uintptr_t)p ^ key()};
  memcpy(m.bytes + 3, &p, sizeof p);
  m = words_many(m);
  hop();
  long *back;
  memcpy(&back, m.bytes + 3, sizeof back);
  hop();
  return *(long *)t.word * 1000 + *back * 100 + *m.u.pointer * 10 + *(long *)(m.hidden ^ key()) + t.number;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
