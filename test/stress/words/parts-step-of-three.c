// memmove copies a struct with an address in steps of three bytes, a constant length, with calls between them.
#include "words.h"

static NOINLINE void copy(void *to, const void *from) {
  for (int at = 0; at < 9; at += 3) {
    memmove((char *)to + at, (const char *)from + at, 3);
    hop();
  }
}
static NOINLINE long use(long *p) {
  struct {
    long *p;
    char more[8];
  } a = {p, "x"}, b;
  copy(&b, &a);
  return *b.p;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
