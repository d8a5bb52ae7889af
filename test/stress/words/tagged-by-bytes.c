// One byte of a pointer is written in many ways, by functions that the compiler does not know.
#include "words.h"

static NOINLINE void by_fill(unsigned char *word, int t) { memset(word + 7, t, 1); }
static NOINLINE void by_copy(unsigned char *word, int t) {
  uint16_t n = (uint16_t)t;
  memcpy(word + 6, &n, 2);
}
static NOINLINE void by_atomic(unsigned char *word, int t) {
  __atomic_store_n(word + 7, (unsigned char)t, __ATOMIC_SEQ_CST);
}
static NOINLINE void by_or(unsigned char *word, int t) { __atomic_fetch_or(word + 7, t, __ATOMIC_SEQ_CST); }
static NOINLINE void by_index(unsigned char *word, int t) {
  for (long i = number() - 1; i < 8; i++)
    word[i] = (unsigned char)t;
}
static void (*volatile ways[])(unsigned char *, int) = {by_fill, by_copy, by_atomic, by_or, by_index};

static NOINLINE long use(long *p, int way) {
  long *w = p;
  ways[way]((unsigned char *)&w, 0x5a);
  hop();
  ((unsigned char *)&w)[7] = 0;
  ((unsigned char *)&w)[6] = 0;
  hop();
  return *w;
}

int main(void) {
  long a = 5;
  for (int way = 0; way < 5; way++)
    printf("%ld\n", use(&a, way));
}
