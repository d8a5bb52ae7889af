// An address is copied into a double and back.
#include "words.h"

static NOINLINE long keep(long *p) {
  double kept;
  memcpy(&kept, &p, sizeof kept);
  hop();
  long *back;
  memcpy(&back, &kept, sizeof back);
  return *back;
}

int main(void) {
  long a = 1;
  printf("%ld\n", keep(&a));
}
