// Another unit keeps an address that it was given as an integer, in a static variable, and gives it back.
// changes: globals
#include "words.h"

void words_keep(unsigned long word);
unsigned long words_kept(void);
double words_kept_as_double(void);

static NOINLINE long use(long *p) {
  words_keep((uintptr_t)p);
  hop();
  long sum = *(long *)words_kept();
  words_keep((uintptr_t)p ^ key());
  hop();
  sum = sum * 10 + *(long *)(words_kept() ^ key());
  words_keep((uintptr_t)p);
  hop();
  double d = words_kept_as_double();
  hop();
  long *back;
  memcpy(&back, &d, sizeof back);
  return sum * 10 + *back;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
