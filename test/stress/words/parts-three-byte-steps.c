// memmove copies a struct with an address in steps of three bytes, with calls between them.
#include "words.h"

struct pair {
  long *p;
  long n;
};
static NOINLINE void copy(void *to, const void *from, int bytes) {
  for (int at = 0; at < bytes; at += 3) {
    memmove((char *)to + at, (const char *)from + at, bytes - at < 3 ? bytes - at : 3);
    hop();
  }
}
static NOINLINE long use(long *p) {
  struct pair a = {p, 7}, b;
  copy(&b, &a, sizeof a);
  return *b.p * 10 + b.n;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
