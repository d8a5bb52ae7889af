// Integers that are addresses are sorted by what they lead to, by qsort, and looked for by bsearch.
#include "words.h"

static int compare(const void *a, const void *b) {
  hop();
  long x = *(long *)(*(uintptr_t *)a ^ key()), y = *(long *)(*(uintptr_t *)b ^ key());
  return (x > y) - (x < y);
}

static NOINLINE long use(long *p) {
  uintptr_t words[5];
  for (int i = 0; i < 5; i++)
    words[i] = (uintptr_t)(p + i) ^ key();
  qsort(words, 5, sizeof *words, compare);
  long sum = 0;
  for (int i = 0; i < 5; i++)
    sum = sum * 10 + *(long *)(words[i] ^ key());
  uintptr_t like = (uintptr_t)(p + 2) ^ key();
  uintptr_t *found = bsearch(&like, words, 5, sizeof *words, compare);
  return sum * 10 + (found ? found - words : 9);
}

int main(void) {
  long a[5] = {3, 1, 4, 5, 2};
  hop_pointer(a);
  printf("%ld\n", use(a));
}
