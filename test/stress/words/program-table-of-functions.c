// A table of functions on the stack, each under a key, and one in static memory.
#include "words.h"
static long a(void) { return 1; }
static long b(void) { return 2; }
static long c(void) { return 3; }
static uintptr_t kept[3];
static NOINLINE void fill(uintptr_t *t) {
  t[0] = (uintptr_t)a ^ key();
  t[1] = (uintptr_t)b + key();
  t[2] = ~(uintptr_t)c;
}
static NOINLINE long run(const uintptr_t *t) {
  return ((long (*)(void))(t[0] ^ key()))() * 100 + ((long (*)(void))(t[1] - key()))() * 10 + ((long (*)(void))~t[2])();
}
int main(void) {
  uintptr_t t[3];
  fill(t);
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    sum += run(t);
  }
  printf("%ld\n", sum);
}
