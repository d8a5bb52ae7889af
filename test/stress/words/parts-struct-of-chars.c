// A struct of eight characters goes by value and comes back turned around.
#include "words.h"

struct bytes {
  unsigned char b[8];
};
static NOINLINE struct bytes turn(struct bytes s) {
  struct bytes t;
  for (int i = 0; i < 8; i++)
    t.b[i] = s.b[7 - i];
  return t;
}
static struct bytes (*volatile turn_somewhere)(struct bytes) = turn;
static NOINLINE long use(long *p) {
  struct bytes s;
  memcpy(&s, &p, 8);
  s = turn_somewhere(s);
  hop();
  s = turn_somewhere(s);
  memcpy(&p, &s, 8);
  return *p;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
