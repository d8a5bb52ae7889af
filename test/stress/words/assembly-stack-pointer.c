// Inline assembly reads the stack pointer, and a local is found from it after a call.
#include "words.h"

static NOINLINE long use(long n) {
  volatile long local = n;
  uintptr_t sp;
  __asm__ volatile("mov %%rsp, %0" : "=r"(sp));
  long distance = (long)((uintptr_t)&local - sp);
  hop();
  uintptr_t now;
  __asm__ volatile("mov %%rsp, %0" : "=r"(now));
  return *(volatile long *)(sp + (uintptr_t)distance) + (now == sp);
}

int main(void) { printf("%ld\n", use(5)); }
