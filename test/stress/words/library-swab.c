// The C library writes the bytes of an address in another order.
#define _XOPEN_SOURCE 700
#include "words.h"
#include <unistd.h>

static NOINLINE long use(long *p, UNUSED long *q) {
  char kept[8];
  swab(&p, kept, 8);
  hop();
  long *again;
  swab(kept, &again, 8);
  return *again;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
