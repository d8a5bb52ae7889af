// A difference of two addresses is a number only if both move alike. Then a word is added that may itself be an
// address, since the program keeps addresses in numbers elsewhere.
#include "words.h"

static uint64_t table[16];
static uint64_t itself(uint64_t v) { return v; }
static uint64_t (*volatile kept)(uint64_t) = itself;

static NOINLINE uint64_t hide(long *p) { return key() - (uint64_t)p + (uint64_t)table; }
static NOINLINE long *find(uint64_t v) { return (long *)(key() - (v - (uint64_t)table)); }

static NOINLINE long use(long *p) {
  uint64_t v = hide(p);
  hop();
  long *heap = malloc(sizeof *heap);
  *heap = 37;
  uint64_t word = kept((uint64_t)heap);
  hop();
  long sum = *find(v) + *(long *)word;
  free(heap);
  return sum;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
