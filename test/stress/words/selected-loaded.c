// A word is chosen between two that were loaded, of which one is an address.
#include "words.h"

static NOINLINE long use(uintptr_t *words, int which) {
  uintptr_t word = words[which], other = words[!which];
  hop();
  uintptr_t chosen = which ? word : other;
  hop();
  return *(long *)chosen + (long)(which ? other : word);
}

int main(void) {
  long a = 5;
  uintptr_t words[] = {8, (uintptr_t)&a};
  long sum = use(words, 1) * 100 + use(words, 0);
  printf("%ld\n", sum);
}
