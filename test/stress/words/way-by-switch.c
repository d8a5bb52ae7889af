// A switch gives the digits of an address.
#include "words.h"
static NOINLINE uintptr_t nibble(unsigned x) {
  hop();
  switch (x) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return 2;
  case 3:
    return 3;
  case 4:
    return 4;
  case 5:
    return 5;
  case 6:
    return 6;
  case 7:
    return 7;
  case 8:
    return 8;
  case 9:
    return 9;
  case 10:
    return 10;
  case 11:
    return 11;
  case 12:
    return 12;
  case 13:
    return 13;
  case 14:
    return 14;
  default:
    return 15;
  }
}
int main(void) {
  long a = 7;
  uintptr_t n = 0;
  for (int i = 44; i >= 0; i -= 4)
    n = n << 4 | nibble((uintptr_t)&a >> i & 15);
  printf("%ld\n", *(long *)n);
}
