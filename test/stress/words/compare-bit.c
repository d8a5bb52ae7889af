// One bit of an address decides, before a call and after it.
#include "words.h"

static NOINLINE long wrong(long *p, int bit) {
  bool before = (uintptr_t)p >> bit & 1;
  long result = 0;
  for (int i = 0; i < 4; i++) {
    hop();
    result += before != ((uintptr_t)p >> bit & 1);
  }
  return result;
}

int main(void) {
  long a = 1, sum = 0;
  for (int bit = 3; bit < 40; bit++)
    sum += wrong(&a, bit);
  printf("%ld\n", sum);
}
