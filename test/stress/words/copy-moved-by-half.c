// A word that is moved by half a word within a buffer, and back.
#include "words.h"
static NOINLINE void look(char *b) { hop(); }
static NOINLINE long use(long *p) {
  char b[24] = {0};
  memcpy(b, &p, 8);
  memmove(b + 4, b, 12);
  look(b);
  hop();
  memmove(b, b + 4, 12);
  long *q;
  memcpy(&q, b, 8);
  return *q;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
