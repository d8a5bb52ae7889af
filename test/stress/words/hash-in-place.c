// A table in which the hash of an address is the place.
// changes: globals
#include "words.h"
static unsigned char table[1 << 14];
int main(void) {
  long a = 7;
  table[((uintptr_t)&a * 0x9e3779b97f4a7c15) >> 50] = 5;
  hop();
  printf("%d\n", table[((uintptr_t)&a * 0x9e3779b97f4a7c15) >> 50]);
}
