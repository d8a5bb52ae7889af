// A multiplicative hash: the upper 16 bits of a product.
#include "words.h"

static NOINLINE long changes(long *p, int times) {
  uint64_t v = (uintptr_t)p;
  uint64_t before = v * UINT64_C(0x9e3779b97f4a7c15) >> 48;
  long own[3] = {*p, 2, 3};
  hop_pointer(own);
  v = (uintptr_t)(own + 2);
  uint64_t mine = v * UINT64_C(0x9e3779b97f4a7c15) >> 48;
  long wrong = 0;
  for (int i = 0; i < times; i++) {
    hop();
    v = (uintptr_t)p;
    wrong += before != (v * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    v = (uintptr_t)(own + 2);
    wrong += mine != (v * UINT64_C(0x9e3779b97f4a7c15) >> 48);
  }
  return wrong;
}

int main(void) {
  long locals[3] = {1, 2, 3};
  long wrong = 0;
  for (int i = 0; i < 3; i++)
    wrong += changes(locals + i, 4);
  printf("%ld\n", wrong);
}
