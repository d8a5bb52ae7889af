// The low 16 bits of an address in a stack, which a move keeps.
#include "words.h"

static NOINLINE long changes(long *p, int times) {
  uint64_t v = (uintptr_t)p;
  uint64_t before = v & 0xffff;
  long own[3] = {*p, 2, 3};
  hop_pointer(own);
  v = (uintptr_t)(own + 2);
  uint64_t mine = v & 0xffff;
  long wrong = 0;
  for (int i = 0; i < times; i++) {
    hop();
    v = (uintptr_t)p;
    wrong += before != (v & 0xffff);
    v = (uintptr_t)(own + 2);
    wrong += mine != (v & 0xffff);
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
