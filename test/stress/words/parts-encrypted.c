// The bytes of an object are encrypted in place, and decrypted after a call.
#include "words.h"

static NOINLINE void crypt(void *at, int n, unsigned char k) {
  unsigned char *b = at;
  for (int i = 0; i < n; i++)
    b[i] ^= (unsigned char)(k * (i + 1));
}
struct object {
  int kind;
  long *p;
};
static NOINLINE long use(long *p) {
  struct object o = {1, p};
  crypt(&o, sizeof o, (unsigned char)key());
  hop();
  crypt(&o, sizeof o, (unsigned char)key());
  return *o.p + o.kind;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
