// The number of bits of an address, and the place of its highest.
#include "words.h"

static NOINLINE long changes(long *p, int times) {
  uint64_t v = (uintptr_t)p;
  uint64_t before = (uint64_t)__builtin_popcountll(v) * 64 + (uint64_t)__builtin_clzll(v ^ v << 1);
  long own[3] = {*p, 2, 3};
  hop_pointer(own);
  v = (uintptr_t)(own + 2);
  uint64_t mine = (uint64_t)__builtin_popcountll(v) * 64 + (uint64_t)__builtin_clzll(v ^ v << 1);
  long wrong = 0;
  for (int i = 0; i < times; i++) {
    hop();
    v = (uintptr_t)p;
    wrong += before != ((uint64_t)__builtin_popcountll(v) * 64 + (uint64_t)__builtin_clzll(v ^ v << 1));
    v = (uintptr_t)(own + 2);
    wrong += mine != ((uint64_t)__builtin_popcountll(v) * 64 + (uint64_t)__builtin_clzll(v ^ v << 1));
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
