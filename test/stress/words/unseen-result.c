// Functions of another unit return addresses as integers, plain and hidden.
#include "words.h"

uintptr_t words_plain(long *p);
unsigned long words_hidden(long *p, unsigned long key);
long words_negative(long *p);

static NOINLINE long use(long *p) {
  uintptr_t plain = words_plain(p);
  unsigned long hidden = words_hidden(p, key());
  long negative = words_negative(p);
  hop();
  long sum = *(long *)plain;
  hop();
  sum = sum * 10 + *(long *)(hidden ^ key());
  hop();
  return sum * 10 + *(long *)-(uintptr_t)negative;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
