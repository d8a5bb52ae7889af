// An address as a number in a global variable, which another file changes.
// changes: globals
#include "words.h"
uint64_t kept_word;
void hide_in_place(uint64_t k);
static NOINLINE long use(long *p) {
  kept_word = (uintptr_t)p;
  hide_in_place(key());
  hop();
  hide_in_place(key());
  long *back = (long *)(uintptr_t)kept_word;
  kept_word = 0;
  hop();
  return *back;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
