// The low bits of a local's address: invariant under the move, as long as the move keeps the alignment.
#include "hop.h"

static NOINLINE unsigned bits(int extra) {
  _Alignas(64) char block[256];
  for (int i = 0; i < 256; i++)
    block[i] = (char)(i ^ extra);
  char *p = block + extra;
  unsigned low = (unsigned)((uintptr_t)p & 63);
  unsigned in_word = (uintptr_t)p % 8;
  hop();
  unsigned again = (unsigned)((uintptr_t)p & 63);
  return low * 1000000 + again * 1000 + in_word * 100 + (unsigned char)*p;
}

int main(void) {
  for (int extra = 0; extra < 200; extra += 17)
    printf("%u\n", bits(extra));
}
