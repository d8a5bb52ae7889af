// A checksum of the bytes of an address.
#include "words.h"

static uint64_t sum(uint64_t v) {
  uint32_t crc = ~0u;
  for (int bit = 0; bit < 64; bit++)
    crc = crc >> 1 ^ ((crc ^ v >> bit) & 1 ? 0xedb88320 : 0);
  return crc;
}

static NOINLINE long changes(long *p, int times) {
  uint64_t v = (uintptr_t)p;
  uint64_t before = sum(v);
  long own[3] = {*p, 2, 3};
  hop_pointer(own);
  v = (uintptr_t)(own + 2);
  uint64_t mine = sum(v);
  long wrong = 0;
  for (int i = 0; i < times; i++) {
    hop();
    v = (uintptr_t)p;
    wrong += before != (sum(v));
    v = (uintptr_t)(own + 2);
    wrong += mine != (sum(v));
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
