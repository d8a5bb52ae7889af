// A number has hundreds of users before a pointer is made of it.
#include "words.h"

#define USE(n)                                                                                                         \
  if (((v & ~7ul) + n) == (uintptr_t)q)                                                                                \
    s += n;
#define USES(n) USE(n) USE(n + 8) USE(n + 16) USE(n + 24) USE(n + 32) USE(n + 40) USE(n + 48) USE(n + 56)
#define MANY(n) USES(n) USES(n + 64) USES(n + 128) USES(n + 192) USES(n + 256) USES(n + 320) USES(n + 384) USES(n + 448)
static uintptr_t same(uintptr_t v) { return v; }
static uintptr_t (*volatile number_of)(uintptr_t) = same;
static NOINLINE long use(long *p, long *q) {
  uintptr_t v = number_of((uintptr_t)p);
  long s = *(long *)v;
  hop();
  MANY(0) MANY(512) MANY(1024) MANY(1536) MANY(2048) return s * 10 + *(long *)v;
}

int main(void) {
  long a[2] = {5, 6};
  printf("%ld\n", use(a, a + 1) % 10);
}
