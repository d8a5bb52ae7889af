// Records are copied with a length that is known at run time only, into a buffer of words.
#include "words.h"

struct record {
  size_t size;
  long *to;
  long number;
};

static NOINLINE long through(struct record *r) {
  long buffer[8];
  memcpy(buffer, r, r->size);
  hop();
  struct record back;
  memcpy(&back, buffer, r->size);
  hop();
  return *back.to + back.number;
}

int main(void) {
  long a = 1;
  struct record r = {sizeof r, &a, 40};
  printf("%ld\n", through(&r));
}
