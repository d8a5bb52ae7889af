// An address rounded down to a block boundary (as arenas do to find their header) is a pointer again after the call.
#include "hop.h"

struct block {
  long magic;
  char bytes[504];
};

static NOINLINE long header(char *p) {
  struct block *b = (struct block *)((uintptr_t)p & ~(uintptr_t)511);
  long offset = p - (char *)b;
  hop();
  return b->magic * 1000 + offset;
}

int main(void) {
  _Alignas(512) struct block b[2];
  b[0].magic = 11;
  b[1].magic = 22;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 504; j += 101)
      printf("%ld\n", header(b[i].bytes + j));
}
