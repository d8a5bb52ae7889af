// A function hashes one of many pointers of a struct, byte by byte.
#include "words.h"

struct many {
  long *before[40];
  long *it;
};
static NOINLINE uint64_t hidden(const struct many *m) {
  const unsigned char *b = (const unsigned char *)&m->it;
  uint64_t v = 0;
  for (int i = 0; i < 8; i++)
    v = v << 8 | (b[i] ^ 0x5a);
  return v;
}
static NOINLINE long *shown(uint64_t v) {
  uint64_t u = 0;
  for (int i = 0; i < 8; i++)
    u = u << 8 | (unsigned char)((v >> 8 * i) ^ 0x5a);
  return (long *)u;
}
static NOINLINE void set(struct many *m, long *p) {
  for (int i = 0; i < 40; i++)
    m->before[i] = 0;
  m->it = p;
}
static NOINLINE long use(long *p) {
  struct many m;
  set(&m, p);
  uint64_t v = hidden(&m);
  m.it = 0;
  hop();
  return *shown(v) + (m.it != 0);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
