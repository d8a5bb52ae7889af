// An address is kept as a number in a static variable, whose address is given to another file, which changes it.
// changes: globals
#include "words.h"
static uint64_t kept_word;
void hide_in_place(uint64_t *word, uint64_t k);
static NOINLINE long use(long *p) {
  kept_word = (uintptr_t)p;
  hide_in_place(&kept_word, key());
  hop();
  hide_in_place(&kept_word, key());
  long *back = (long *)(uintptr_t)kept_word;
  kept_word = 0;
  hop();
  return *back;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
