// asm goto with an output.
#include "words.h"
static NOINLINE long use(long *p) {
  uint64_t v;
  asm goto("mov %1, %0; rol $13, %0; test %1, %1; jz %l2" : "=&r"(v) : "r"((uintptr_t)p) : "cc" : none);
  hop();
  v = v >> 13 | v << 51;
  return *(long *)v;
none:
  return 0;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
