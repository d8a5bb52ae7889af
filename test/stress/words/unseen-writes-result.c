// Another unit writes an address, as an integer or bytes, where it was told to; the local there is declared an integer.
#include "words.h"

void words_write(unsigned long *where, long *p);
void words_write_bytes(unsigned char *where, long *p);
void words_write_hidden(double *where, long *p);

static NOINLINE long use(long *p) {
  unsigned long word = 0;
  unsigned char bytes[12] = {0};
  double hidden = 0;
  words_write(&word, p);
  words_write_bytes(bytes + 1, p);
  words_write_hidden(&hidden, p);
  hop();
  long *back, *again;
  memcpy(&back, bytes + 1, sizeof back);
  memcpy(&again, &hidden, sizeof again);
  hop();
  return *(long *)word * 100 + *back * 10 + *(long *)~(uintptr_t)again;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
