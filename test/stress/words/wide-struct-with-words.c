// A large struct with a pointer and, among many numbers, an address as a number.
#include "words.h"

struct large {
  char *name;
  uintptr_t words[700];
};
static NOINLINE long use(long *p) {
  struct large l;
  memset(&l, 0, sizeof l);
  l.words[number() + 400] = (uintptr_t)p;
  l.words[5] = (uintptr_t)&l.name;
  hop();
  return *(long *)l.words[number() + 400] * 10 + (l.words[5] == (uintptr_t)&l.name);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
