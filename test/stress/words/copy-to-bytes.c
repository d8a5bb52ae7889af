// An address is kept in eight bytes over a call; all bytes are copied in loops by hand, without a call between them.
#include "words.h"

static NOINLINE long keep(long *p) {
  unsigned char bytes[sizeof p];
  for (size_t i = 0; i < sizeof p; i++)
    bytes[i] = ((unsigned char *)&p)[i];
  hop();
  long *back;
  for (size_t i = 0; i < sizeof p; i++)
    ((unsigned char *)&back)[i] = bytes[i];
  return *back;
}

int main(void) {
  long a = 1;
  printf("%ld\n", keep(&a));
}
