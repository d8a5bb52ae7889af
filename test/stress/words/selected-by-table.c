// Addresses and numbers are in one array of integers; a table says which is which.
#include "words.h"

static NOINLINE long use(uintptr_t *words, const char *kinds) {
  long sum = 0;
  for (int i = 0; kinds[i]; i++) {
    uintptr_t word = words[i];
    hop();
    sum = sum * 10 + (kinds[i] == 'a' ? *(long *)word : kinds[i] == 'h' ? *(long *)~word : (long)word);
  }
  return sum;
}

int main(void) {
  long a = 5, b = 6;
  uintptr_t words[] = {(uintptr_t)&a, 7, ~(uintptr_t)&b, 8};
  printf("%ld\n", use(words, "anhn"));
}
