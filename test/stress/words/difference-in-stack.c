// Distances between locals are kept over calls, divided and multiplied: they stay as they are.
#include "words.h"

struct ends {
  long first, between[6], last;
};

static NOINLINE long use(struct ends *e, long n) {
  uintptr_t distance = (uintptr_t)&e->last - (uintptr_t)&e->first;
  uint64_t scaled = distance / sizeof(long) * (uint64_t)n, hidden = distance ^ key();
  hop();
  long sum = *(long *)((uintptr_t)&e->first + distance);
  hop();
  sum = sum * 10 + *(&e->first + scaled / (uint64_t)n);
  hop();
  return sum * 10 + *(long *)((uintptr_t)&e->first + (hidden ^ key()));
}

int main(void) {
  struct ends e = {1, {0}, 7};
  printf("%ld\n", use(&e, number()));
}
