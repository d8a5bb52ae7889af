// The halves of an address are the values that longjmp passes.
#include "words.h"
#include <setjmp.h>
static NOINLINE void go(jmp_buf *b, int v) {
  hop();
  longjmp(*b, v);
}
static NOINLINE long use(long *p) {
  jmp_buf b;
  volatile unsigned high = 0, low = 0;
  volatile int turn = 0;
  int v = setjmp(b);
  if (turn == 0) {
    turn = 1;
    go(&b, (int)((uintptr_t)p >> 32));
  }
  if (turn == 1) {
    high = v;
    turn = 2;
    go(&b, (int)(uintptr_t)p);
  }
  low = v;
  hop();
  return *(long *)((uintptr_t)high << 32 | low);
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
