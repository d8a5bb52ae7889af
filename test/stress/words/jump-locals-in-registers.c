// After a jump back, numbers made of an address are used that were computed before setjmp.
#include "words.h"

#include <setjmp.h>
static NOINLINE long use(long *p) {
  jmp_buf b;
  volatile uint64_t hidden = (uintptr_t)p * 3;
  volatile int turns = 0;
  int came = setjmp(b);
  hop();
  if (turns++ < 2) {
    hop();
    longjmp(b, turns);
  }
  return *(long *)(uintptr_t)(hidden / 3) * 10 + came;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
