// Exported integers that begin as an address, plain and far from it, are read as numbers through a pointer.
#include "words.h"
long target = 5;
uintptr_t exported = (uintptr_t)&target;
uintptr_t far = (uintptr_t)&target + 0x123400000000;
static NOINLINE uintptr_t take(uintptr_t *volatile *from) { return **from; }
static NOINLINE long use(void) {
  uintptr_t *volatile p = &exported, *volatile q = &far;
  uintptr_t a = take(&p), b = take(&q), c = a ^ key();
  long wrong = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    wrong += (take(&p) != a) + (take(&q) != b) + ((take(&p) ^ key()) != c);
  }
  return wrong;
}
int main(void) { printf("%ld\n", use()); }
