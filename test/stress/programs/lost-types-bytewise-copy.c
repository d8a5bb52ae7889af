// Pointers copied by a loop over bytes in a function of its own (a memcpy by hand), into a typed struct.
#include "hop.h"

struct boxes {
  int *p, *q;
  short n;
};

static NOINLINE void copy(void *to, const void *from, size_t n) {
  unsigned char *t = to;
  const unsigned char *f = from;
  while (n--)
    *t++ = *f++;
}
static void (*volatile copy_bytes)(void *, const void *, size_t) = copy;

int main(void) {
  int a = 1, b = 2;
  struct boxes x = {&a, &b, 3}, y, z;
  hop();
  copy_bytes(&y, &x, sizeof x);
  hop();
  copy(&z, &y, sizeof y);
  hop();
  printf("%d %d %d\n", *z.p, *z.q, z.n);
}
