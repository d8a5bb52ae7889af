// __builtin_setjmp keeps frame and stack pointer in a buffer of words.
#include "hop.h"

static NOINLINE void leave(void **buffer, int *n) {
  hop();
  *n += 5;
  __builtin_longjmp(buffer, 1);
}

static NOINLINE int enter(int k) {
  void *buffer[5];
  volatile int before = k;
  int n = k;
  if (__builtin_setjmp(buffer) == 0) {
    hop();
    leave(buffer, &n);
  }
  hop();
  return before * 100 + 7;
}

int main(void) {
  for (int k = 0; k < 4; k++)
    printf("%d\n", enter(k));
}
