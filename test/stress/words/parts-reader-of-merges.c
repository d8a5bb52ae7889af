// A function reads the bytes of an address, through a pointer that is chosen again and again.
#include "words.h"

#define STEP(n) at = flags[n & 7] == n ? at + 1 : at;
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)
#define MANY(n)                                                                                                        \
  STEPS(n) STEPS(n + 8) STEPS(n + 16) STEPS(n + 24) STEPS(n + 32) STEPS(n + 40) STEPS(n + 48) STEPS(n + 56)
static NOINLINE uint64_t hidden(const unsigned char *at, const volatile long *flags) {
  MANY(100) MANY(200) MANY(300) MANY(400) MANY(500) uint64_t v = 0;
  for (int i = 0; i < 8; i++)
    v = v << 8 | (at[i] ^ 0x5a);
  return v;
}
static NOINLINE long *shown(uint64_t v) {
  uint64_t u = 0;
  for (int i = 0; i < 8; i++)
    u = u << 8 | (unsigned char)((v >> 8 * i) ^ 0x5a);
  return (long *)u;
}
static NOINLINE long use(long *p) {
  long flags[8] = {0};
  uint64_t v = hidden((const unsigned char *)&p, flags);
  p = 0;
  hop();
  return *shown(v) + (p != 0);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
