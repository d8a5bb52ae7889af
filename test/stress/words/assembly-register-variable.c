// A variable that is the stack pointer.
#include "words.h"

register uintptr_t stack __asm__("rsp");

static NOINLINE long use(long *p, UNUSED long *q) {
  uintptr_t here = stack * 3;
  hop();
  return here == stack * 3;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
