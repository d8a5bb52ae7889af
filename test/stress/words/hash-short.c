// A mixing of an address is cut to 16 bits.
#include "words.h"

static NOINLINE long changes(long *p, int times) {
  uint64_t v = (uintptr_t)p;
  uint64_t before = (uint16_t)(v ^ v >> 20);
  long own[3] = {*p, 2, 3};
  hop_pointer(own);
  v = (uintptr_t)(own + 2);
  uint64_t mine = (uint16_t)(v ^ v >> 20);
  long wrong = 0;
  for (int i = 0; i < times; i++) {
    hop();
    v = (uintptr_t)p;
    wrong += before != ((uint16_t)(v ^ v >> 20));
    v = (uintptr_t)(own + 2);
    wrong += mine != ((uint16_t)(v ^ v >> 20));
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
