// A struct of one pointer, assigned and copied by memcpy: the copies become integer loads and stores.
#include "hop.h"
#include <string.h>

struct box {
  int *p;
};

static NOINLINE int copies(struct box *from) {
  struct box a = *from, b;
  hop();
  memcpy(&b, &a, sizeof b);
  hop();
  struct box c = b;
  int x = 5;
  c.p = hop_long(*from->p) & 1 ? &x : c.p;
  hop();
  *from = c;
  hop();
  int result = *a.p + *b.p * 10 + *c.p * 100 + *from->p * 1000;
  *from = b;
  return result;
}

int main(void) {
  int n = 1;
  struct box box = {&n};
  for (; n < 8; n++)
    printf("%d\n", copies(&box));
}
