// Tagged words are compared over a call, one kept in an integer, one computed again.
#include "words.h"

static NOINLINE long wrong(long *p, long *q) {
  uintptr_t a = (uintptr_t)p | UINT64_C(0xff) << 56, b = (uintptr_t)q << 16;
  long result = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    result += (a != ((uintptr_t)p | UINT64_C(0xff) << 56)) * 10 + (b != (uintptr_t)q << 16);
    hop();
    result += a - ((uintptr_t)p | UINT64_C(0xff) << 56) != 0;
  }
  return result;
}

int main(void) {
  long a = 1, b = 2;
  printf("%ld\n", wrong(&a, &b));
}
