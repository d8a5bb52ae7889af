// A key is added to an address more than once, and taken off again. What lies in between leads nowhere near the stack,
// although the first sum was made of an address that does.
// refused: number
#include "hop.h"

static volatile uintptr_t key_in_memory = 0x5bd1e995a7c3f00d;
static NOINLINE uintptr_t key(void) { return key_in_memory; }

static NOINLINE uintptr_t hidden(long *p) {
  uintptr_t v = (uintptr_t)p;
  v = v + key();
  v = v + key();
  return v + key();
}

static NOINLINE long *found(uintptr_t v) {
  v = v - key();
  v = v - key();
  return (long *)(v - key());
}

static NOINLINE long kept(long n) {
  long x[2] = {n, n + 10};
  uintptr_t v = hidden(x + 1);
  hop();
  return *found(v) + x[0];
}

int main(void) {
  for (long n = 0; n < 8; n++)
    printf("%ld\n", kept(n));
}
