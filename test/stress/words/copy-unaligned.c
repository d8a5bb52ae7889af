// An address is copied to an odd place in a buffer, as programs that pack records do.
#include "words.h"

static NOINLINE long keep(long *p, size_t at) {
  char record[32] = "record";
  memcpy(record + at, &p, sizeof p);
  hop();
  long *back;
  memcpy(&back, record + at, sizeof back);
  return *back + record[0];
}

int main(void) {
  long a = 1;
  printf("%ld %ld\n", keep(&a, 7), keep(&a, 11));
}
